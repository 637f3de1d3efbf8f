#pragma once
// Chunked allocation: the sections one after the other, the highest frequencies first. Qwen2-VL, arXiv:2409.12191,
// section 2.1 (M-RoPE); tested against Hugging Face transformers, qwen2_vl, and JJJYmmm/Multimodal-RoPEs at cd413b9.
// The frequency index runs over all pairs and is not restarted per section.
//
//     thw{16, 24, 24}:        tttttttttttttttthhhhhhhhhhhhhhhhhhhhhhhhwwwwwwwwwwwwwwwwwwwwwwww
//     cycling {4, 2, 2, 3}:   tttthhwwttt
//     XD-RoPE {{axis::t, 4}, {axis::w, 4}, {axis::h, 4}, {axis::u, 4}}:   ttttwwwwhhhhuuuu
//
// XD-RoPE is HunyuanOCR's, whose lists read position, width, height, image; tested against vLLM (May 2026, fork commit
// 28be48f), whose rule is the checkpoint's. (Hugging Face v5.15.0 doubles its sections over channels: see per_channel.)

#include "polyrope/frequency/is_allocation.hpp"
#include "polyrope/frequency/section.hpp"

POLYROPE_BEGIN

namespace allocation {

/// Most sections of one list.
inline constexpr int max_sections = 8;

struct chunked {
    section sections[max_sections] = {};
    int count = 0;

    constexpr chunked(thw s) noexcept : sections{{axis::t, s.t}, {axis::h, s.h}, {axis::w, s.w}}, count(3) {}

    /// A list with its axes named, for example {{axis::h, 22}, {axis::w, 22}, {axis::t, 20}}.
    template <int Count>
    constexpr chunked(const section (&list)[Count]) noexcept : count(Count) {
        static_assert(Count <= max_sections,
                      "a chunked allocation has at most eight sections; write more of them as per_pair");
        for (int i = 0; i < Count; ++i) sections[i] = list[i];
    }

    /// A list of any length as config files have it, whose entries belong to t, h, w, t, h, w, ... in turn.
    [[nodiscard]] static constexpr chunked cycling(const index_t* pairs, int entries) noexcept {
        chunked all{thw{0, 0, 0}};
        all.count = entries;
        for (int i = 0; i < entries && i < max_sections; ++i) all.sections[i] = {static_cast<axis>(i % 3), pairs[i]};
        return all;
    }

    [[nodiscard]] constexpr int axes() const noexcept {
        int all = 1;
        for (int i = 0; i < count && i < max_sections; ++i) {
            const int a = static_cast<int>(sections[i].which);
            if (a + 1 > all) all = a + 1;
        }
        return all;
    }
    [[nodiscard]] constexpr index_t groups() const noexcept { return 1; }
    [[nodiscard]] constexpr status validate(index_t pairs) const noexcept {
        if (count > max_sections) return {errc::capacity_exceeded, operand::section, 0, max_sections, count};
        return detail::check_sections(sections, count, pairs);
    }

    [[nodiscard]] constexpr axis operator()(index_t l, index_t) const noexcept {
        for (int i = 0; i < count; ++i) {
            if (l < sections[i].pairs) return sections[i].which;
            l -= sections[i].pairs;
        }
        return axis_none;
    }
};

}  // namespace allocation

POLYROPE_END
