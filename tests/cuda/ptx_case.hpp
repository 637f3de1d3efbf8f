#pragma once
// A launch as the PTX interpreter reads it: grid and block, the bytes of the task with the places where addresses go,
// and the buffers before and after. Any kernel whose one parameter is a task by value.

#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "polyrope/cuda/detail/bind.hpp"

namespace polyrope::test {

inline std::string hex_of(const void* data, std::size_t size) {
    static const char digits[] = "0123456789abcdef";
    std::string out;
    for (std::size_t i = 0; i < size; ++i) {
        const unsigned char byte = static_cast<const unsigned char*>(data)[i];
        out += digits[byte >> 4];
        out += digits[byte & 15];
    }
    return out;
}

/// Memory of one launch. 64-byte aligned, as the device's is.
struct buffer {
    std::string name;
    std::vector<unsigned char> room, before;
    std::size_t offset = 0, size = 0;
    bool late = false, holds_addresses = false;
    buffer(std::string called, std::size_t bytes) : name(std::move(called)), room(bytes + 64), size(bytes) {
        offset = (64 - reinterpret_cast<std::uintptr_t>(room.data()) % 64) % 64;
    }
    buffer(const buffer&) = delete;
    buffer(buffer&&) = default;
    [[nodiscard]] unsigned char* data() { return room.data() + offset; }
};

template <class Task>
struct launch_case {
    std::string name;
    int number = 0;   // of the kernel's cases
    index_t gap = 0;  // channels behind a head that belong to none, once or twice
    int variant = 0;  // which of the forms that a source of angles has
    Task task;
    cuda::detail::launch_shape shape;
    std::vector<buffer> buffers;
    std::map<std::string, index_t> bytes;  // moved in all, of some buffers

    template <class T>
    T* add(const std::string& called, index_t count) {
        buffers.emplace_back(called, static_cast<std::size_t>(count) * sizeof(T));
        return reinterpret_cast<T*>(buffers.back().data());
    }
    /// What the launch before may still be writing.
    template <class T>
    T* add_late(const std::string& called, index_t count) {
        T* const data = add<T>(called, count);
        buffers.back().late = true;
        return data;
    }
    /// Buffers are filled: what is written from now on is the launch's.
    void begin() {
        for (buffer& b : buffers) b.before.assign(b.data(), b.data() + b.size);
    }

    /// A word that points into one of the first `count` buffers is an address.
    void note_addresses(nlohmann::json& of, const void* words, std::size_t size, std::size_t count) {
        for (std::size_t at = 0; at + sizeof(void*) <= size; at += sizeof(void*)) {
            const unsigned char* pointer = nullptr;
            std::memcpy(&pointer, static_cast<const unsigned char*>(words) + at, sizeof(pointer));
            for (std::size_t b = 0; b < count; ++b)
                if (pointer >= buffers[b].data() && pointer < buffers[b].data() + buffers[b].size)
                    of["addresses"].push_back({at, b, pointer - buffers[b].data()});
        }
    }

    [[nodiscard]] nlohmann::json written(const std::string& kernel, index_t tokens) {
        nlohmann::json out{{"name", name}, {"kernel", kernel}, {"task", hex_of(&task, sizeof(task))}};
        out["grid"] = {shape.token_blocks, shape.chunk_blocks, 1};
        out["block"] = {shape.lanes, shape.chunks, shape.tokens};
        out["tokens"] = tokens;
        if (!bytes.empty()) out["bytes"] = bytes;
        note_addresses(out, &task, sizeof(task), buffers.size());
        for (buffer& b : buffers) {
            nlohmann::json described{
                {"name", b.name}, {"before", hex_of(b.before.data(), b.size)}, {"after", hex_of(b.data(), b.size)}};
            if (b.late) described["late"] = true;
            if (b.holds_addresses) note_addresses(described, b.data(), b.size, out["buffers"].size());
            out["buffers"].push_back(described);
        }
        return out;
    }
};

}  // namespace polyrope::test
