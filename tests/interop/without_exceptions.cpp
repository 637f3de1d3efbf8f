// A namespace of another name, or the linker would merge these inline functions with those that have exceptions.
#define polyrope polyrope_without_exceptions
#define nlohmann nlohmann_without_exceptions
#define JSON_NOEXCEPTION 1
#include "without_exceptions.hpp"

#include "polyrope/interop/json.hpp"

bool reads_without_exceptions(const char* text) {
    return polyrope::interop::read_model(nlohmann::json::parse(text, nullptr, false)).ok();
}
