#pragma once
// How often operator new was called. A room that asks adds support/allocations.cpp to its sources.

namespace polyrope::test {

[[nodiscard]] long long allocations() noexcept;

/// Allocations that `f` makes, and its status.
template <class F>
long long allocations_of(F f, bool& ok) {
    const long long before = allocations();
    ok = f().ok();
    return allocations() - before;
}

}  // namespace polyrope::test
