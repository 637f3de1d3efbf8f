// What a user's program includes first. Each way of consuming the library builds and runs it.
#include <polyrope/version.hpp>

int main() { return polyrope::version_number > 0 ? 0 : 1; }
