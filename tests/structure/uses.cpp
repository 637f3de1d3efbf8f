// Code that uses the library, compiled under every compiler, standard and set of flags that is promised.

namespace {

static_assert(polyrope::version_number > 0);

}  // namespace
