#pragma once
// A value or the reason why there is none.

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "polyrope/core/sentence.hpp"

POLYROPE_BEGIN

namespace detail {
/// Prints the sentence of a status and ends the program.
[[noreturn]] POLYROPE_COLD inline void stop(const status& error) noexcept {
    std::fprintf(stderr, "polyrope: %s\n", to_string(error).c_str());
    std::abort();
}
}  // namespace detail

/// T or a status that is not ok. T is default constructible; reading the value of a failed result prints the sentence
/// and ends the program, as reading past an array would be wrong in silence.
template <class T>
class [[nodiscard]] result {
public:
    result(T value) noexcept : value_(std::move(value)) {}
    result(status error) noexcept : error_(error) {}

    [[nodiscard]] bool ok() const noexcept { return error_.ok(); }
    [[nodiscard]] explicit operator bool() const noexcept { return ok(); }
    [[nodiscard]] status error() const noexcept { return error_; }

    [[nodiscard]] const T& value() const& noexcept { return expect(), value_; }
    [[nodiscard]] T& value() & noexcept { return expect(), value_; }
    [[nodiscard]] T&& value() && noexcept { return expect(), std::move(value_); }
    [[nodiscard]] const T& operator*() const& noexcept { return value(); }
    [[nodiscard]] T& operator*() & noexcept { return value(); }
    [[nodiscard]] T&& operator*() && noexcept { return std::move(*this).value(); }
    [[nodiscard]] const T* operator->() const noexcept { return &value(); }
    [[nodiscard]] T* operator->() noexcept { return &value(); }

private:
    void expect() const noexcept {
        if (!error_.ok()) detail::stop(error_);
    }

    T value_{};
    status error_{};
};

POLYROPE_END
