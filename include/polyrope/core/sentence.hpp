#pragma once
// A status as a sentence that names the thing and carries the numbers. Made on demand, into a
// fixed buffer: no allocation.

#include "polyrope/core/operand_name.hpp"
#include "polyrope/core/status.hpp"

POLYROPE_BEGIN

/// A sentence of at most 255 characters, NUL-terminated.
struct sentence {
    char text[256] = {};
    int length = 0;
    [[nodiscard]] const char* c_str() const noexcept { return text; }
};

namespace detail {

/// Patterns: %w the thing, %i its index, %e the expected number, %f the found number.
[[nodiscard]] constexpr const char* pattern_of(errc code) noexcept {
    switch (code) {
        case errc::ok: return "ok";
        case errc::token_count_mismatch: return "%w %i: its grid needs %e tokens, the prompt holds %f";
        case errc::gap_count_mismatch:
            return "%w %i: its frames leave room for %e runs of text between them, %f were given";
        case errc::frame_count_mismatch:
            return "%w %i: the grids up to this one have %e frames, the prompt holds %f runs of frames";
        case errc::negative_count: return "%w %i: a count of %f is below zero";
        case errc::side_not_positive: return "%w %i: a grid side of %f is not positive";
        case errc::side_not_divisible: return "%w %i: the grid side %f is not a multiple of the merge size %e";
        case errc::grid_missing: return "%w %i: %e grids were given, but the prompt holds %f runs";
        case errc::grid_left_over: return "%w %i: %f grids were given, but the prompt holds %e runs";
        case errc::run_without_marker:
            return "%w %i: the placeholder at token %f belongs to no run that a start marker opens";
        case errc::seconds_missing: return "%w %i: this layout scales time, and the segment states no seconds per grid";
        case errc::seconds_invalid:
            return "%w %i: seconds per grid must be finite and not negative (numerator %f, denominator %e)";
        case errc::position_overflow: return "%w %i: position %f exceeds the limit %e";
        case errc::size_overflow: return "%w %i: its size does not fit 64 bits";
        case errc::modality_not_placed: return "%w %i: this layout has no rule for its kind";
        case errc::no_neutral_point:
            return "%w %i: this layout has no neutral point; ask for the segment's start by name";
        case errc::coordinate_not_integral:
            return "%w %i: its coordinates are not whole numbers; fill float32 or float64, or truncate by name";
        case errc::range_invalid: return "%w: the range [%e, %f) is not a range of tokens";
        case errc::bad_serialisation: return "%w %i: the serialised form is damaged (expected %e, found %f)";
        case errc::shift_not_uniform:
            return "%w %i: moves by %f where the first moves by %e; one shift cannot serve both";
        case errc::step_invalid: return "%w %i: a step must be finite";
        case errc::span_invalid: return "%w %i: a span must be finite and above zero";
        case errc::extra_not_read:
            return "%w %i: it states a frame step, a span or audio, which this layout does not read";
        case errc::rotary_dim_odd: return "rotary_dim %f must be even and positive";
        case errc::rotary_dim_too_large: return "rotary_dim %f exceeds head_dim %e";
        case errc::section_mismatch: return "the sections hold %f pairs, and rotary_dim has %e";
        case errc::section_negative: return "section %i holds %f pairs";
        case errc::axis_invalid: return "%w %i: axis %f is not one of the %e axes";
        case errc::axis_count_invalid: return "%w: a position has 1 to %e axes, not %f";
        case errc::axis_count_mismatch: return "the frequency table turns %e axes, and %w has %f";
        case errc::frequency_invalid: return "pair %i: its frequency is not finite";
        case errc::theta_invalid: return "theta must be finite and above zero";
        case errc::attention_scaling_invalid: return "the attention scaling must be finite and above zero";
        case errc::capacity_exceeded: return "%w: %f exceeds the capacity of %e";
        case errc::null_data: return "%w: the data pointer is null, and %f elements are asked for";
        case errc::extent_mismatch: return "%w: entry %i is %f, and must be %e";
        case errc::extent_negative: return "%w: entry %i is %f, below zero";
        case errc::stride_invalid: return "%w: a stride of %f elements is too small for %e";
        case errc::overlap: return "%w: its memory overlaps another operand that is written";
        case errc::position_out_of_range: return "%w: the position of token %i is %f, past the limit %e";
        case errc::table_row_out_of_range: return "%w: token %i asks for row %f, and the table has %e rows";
        case errc::partition_invalid: return "worker %f of %e is no partition";
        case errc::unsupported: return "%w: this combination is not supported (entry %i)";
        case errc::key_missing: return "configuration: %w is missing";
        case errc::key_conflict: return "configuration: %w is given twice with different values (%e and %f)";
        case errc::value_unknown: return "configuration: %w has a value that is not known";
        case errc::value_type: return "configuration: %w has a value of the wrong type (entry %i)";
        case errc::device_failed: return "%w: the device refused the launch (CUDA error %f)";
        case errc::heads_not_divisible: return "%w: %f heads do not divide %e query heads";
        case errc::keys_end_early: return "%w: keys end at token %f, before the last query sees itself at %e";
        case errc::heads_exceeded: return "the sections hold %f heads, and the model has %e key/value heads";
        case errc::pattern_cut: return "the axes repeat every %e pairs, and %f pairs would cut the last of them";
        case errc::channels_disagree: return "pair %i: its two channels follow axes %e and %f, which is no rotation";
        case errc::parameter_invalid: return "%w must be finite and above %e";
        case errc::parameter_too_large: return "%w must not exceed %e";
        case errc::entry_invalid: return "%w: entry %i must be finite and above %e";
        case errc::bounds_crossed: return "%w must be above its lower counterpart";
        case errc::rotary_dim_too_small: return "rotary_dim %f is too small for this spectrum, which needs %e";
        case errc::tables_differ:
            return "%w %i: its rotary_dim, axes, head groups or pairing are not those of the first";
        case errc::choice_out_of_range: return "%w: token %i asks for table %f, and there are %e";
        case errc::value_invalid: return "configuration: %w has the invalid value %f (entry %i, expected %e)";
        case errc::audio_count_mismatch: return "%w %i: its mel frames make %e tokens, the prompt holds %f";
        case errc::audio_empty: return "%w %i: its %f mel frames make no token";
        case errc::audio_missing: return "%w %i: the lengths of %e were given, but the prompt holds %f runs";
        case errc::audio_left_over: return "%w %i: the lengths of %f were given, and the prompt holds %e runs";
        case errc::run_not_closed: return "%w %i: its placeholders start at token %e, and no end markers stand at %f";
        case errc::token_order_mismatch:
            return "%w %i: the prompt holds another kind of token here than the layout places";
        case errc::nothing_to_measure: return "%w %i: has nothing of the kind that is measured";
        case errc::ring_invalid: return "%w %i: radius, alpha, shares, shifts and steps of its ring must be finite";
        case errc::frames_not_placed: return "%w %i: this layout places a single frame, and its grid has %f";
        case errc::alignment_invalid: return "%w: its rows must start on %e-byte boundaries for this combination";
        case errc::not_device_memory: return "%w: its memory is not the device's";
        case errc::blocks_uneven:
            return "%w %f: it is no multiple of blocks of %e channels, whose halves would be paired";
        case errc::extent_zero: return "%w: entry %i is 0, and at least one is needed";
        case errc::factor_out_of_range: return "the %w must be 0 or lie between 2^-%e and 2^%e";
    }
    return "unknown error";
}

struct sentence_writer {
    sentence out;
    constexpr void put(char c) noexcept {
        if (out.length < 255) out.text[out.length++] = c;
    }
    constexpr void put(const char* s) noexcept {
        while (*s != '\0') put(*s++);
    }
    constexpr void put(index_t number) noexcept {
        char digits[20] = {};
        int count = 0;
        // Negative remainders reach INT64_MIN without overflow.
        index_t rest = number;
        do {
            const int digit = static_cast<int>(rest % 10);
            digits[count++] = static_cast<char>('0' + (digit < 0 ? -digit : digit));
            rest /= 10;
        } while (rest != 0);
        if (number < 0) put('-');
        while (count > 0) put(digits[--count]);
    }
};

}  // namespace detail

/// The sentence of a status, for example "segment 1: its grid needs 6 tokens, the prompt holds 3".
[[nodiscard]] POLYROPE_COLD inline sentence to_string(const status& s) noexcept {
    detail::sentence_writer writer;
    for (const char* p = detail::pattern_of(s.code); *p != '\0'; ++p) {
        if (*p != '%') {
            writer.put(*p);
            continue;
        }
        switch (*++p) {
            case 'w': writer.put(detail::name_of(s.what)); break;
            case 'i': writer.put(s.index); break;
            case 'e': writer.put(s.expected); break;
            default: writer.put(s.found); break;
        }
    }
    return writer.out;
}

POLYROPE_END
