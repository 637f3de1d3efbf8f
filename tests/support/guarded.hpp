#pragma once
// Memory whose ends are pages that may not be touched: an access past either ends the program.

#if __has_include(<sys/mman.h>)
#define POLYROPE_GUARD_PAGES 1

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "polyrope/core/index.hpp"
#include "support/catch.hpp"

namespace polyrope::test {

/// On which side of an operand the page that may not be touched lies.
enum class guard : std::uint8_t { behind, before };

/// Memory of exactly `count` values of T between forbidden pages.
template <class T>
class guarded {
public:
    guarded(index_t count, guard where) : count_(count) {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T), body = (bytes + page - 1) / page * page;
        size_ = body + 2 * page;
        void* const all = mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        REQUIRE(all != MAP_FAILED);
        base_ = static_cast<char*>(all);
        if (body != 0) REQUIRE(mprotect(base_ + page, body, PROT_READ | PROT_WRITE) == 0);
        char* const first = base_ + page + (where == guard::behind ? body - bytes : 0);
        data_ = reinterpret_cast<T*>(first);
    }
    ~guarded() { munmap(base_, size_); }
    guarded(const guarded&) = delete;
    guarded& operator=(const guarded&) = delete;

    [[nodiscard]] T* data() const { return data_; }
    void put(const std::vector<T>& values) {
        REQUIRE(static_cast<index_t>(values.size()) == count_);
        if (count_ != 0) std::memcpy(data_, values.data(), values.size() * sizeof(T));
    }
    [[nodiscard]] std::vector<T> all() const { return std::vector<T>(data_, data_ + count_); }

private:
    char* base_ = nullptr;
    std::size_t size_ = 0;
    T* data_ = nullptr;
    index_t count_;
};

}  // namespace polyrope::test

#else
#define POLYROPE_GUARD_PAGES 0
#endif
