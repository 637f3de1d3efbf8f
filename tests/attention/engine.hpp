#pragma once
// What an engine holds of a prompt: queries and keys turned in place, the visual ones again in second banks, all by
// cpu::rotate_banks.

#include "attention/streaming_case.hpp"
#include "polyrope/cpu/banks.hpp"

namespace polyrope::test {

template <class T>
struct engine_tensors {
    heads wide_q, wide_k, wide_v;  ///< the same numbers in double, not turned
    std::vector<T> q, k, v, visual_q, visual_k;

    [[nodiscard]] attention_operands<T> operands() const {
        const index_t row = wide_k.count * wide_k.channels, q_row = wide_q.count * wide_q.channels;
        return {
            view_of(q, wide_q), view_of(k, wide_k), view_of(v, wide_v),
            compact_heads(visual_q.data(), static_cast<index_t>(visual_q.size()) / q_row, wide_q.count,
                          wide_q.channels),
            compact_heads(visual_k.data(), static_cast<index_t>(visual_k.size()) / row, wide_k.count, wide_k.channels)};
    }
};

/// Queries, keys and values of tokens first, first + 1, ... turned `chunk` tokens at a time; one row of each a token.
template <class T>
engine_tensors<T> engine_tensors_of(const rotary& rope, const position_plan& plan, index_t first,
                                    coordinate_selection which, heads q, heads k, heads v, index_t chunk = index_max) {
    engine_tensors<T> out{std::move(q), std::move(k), std::move(v), {}, {}, {}, {}, {}};
    out.q = rounded<T>(out.wide_q);
    out.k = rounded<T>(out.wide_k);
    out.v = rounded<T>(out.wide_v);
    const index_t tokens = out.wide_k.view().tokens;
    const index_t visual = which.is_mixed() ? visual_tokens(plan, tokens_from(first, first + tokens)) : 0;
    out.visual_q.resize(static_cast<std::size_t>(visual * out.wide_q.count * out.wide_q.channels));
    out.visual_k.resize(static_cast<std::size_t>(visual * out.wide_k.count * out.wide_k.channels));
    const auto whole = [](std::vector<T>& data, const heads& like, index_t rows) {
        return compact_heads(data.data(), rows, like.count, like.channels);
    };
    index_t row = 0;
    for (index_t begin = 0; begin < tokens;) {
        const index_t end = tokens - begin < chunk ? tokens : begin + chunk;
        const index_t rows = which.is_mixed() ? visual_tokens(plan, tokens_from(first + begin, first + end)) : 0;
        const status s = cpu::rotate_banks(rope, plan, token_index{first + begin}, which,
                                           whole(out.q, out.wide_q, tokens).sub(begin, end),
                                           whole(out.k, out.wide_k, tokens).sub(begin, end),
                                           whole(out.visual_q, out.wide_q, visual).sub(row, row + rows),
                                           whole(out.visual_k, out.wide_k, visual).sub(row, row + rows));
        INFO(to_string(s).c_str());
        REQUIRE(s.ok());
        begin = end;
        row += rows;
    }
    return out;
}

/// The definition of a region of tokens first, first + 1, ..., everything in double, the rotation too.
inline banks definition_banks(const rotary& rope, const position_plan& plan, coordinate_selection which,
                              const attention_region& region, const heads& q, const heads& k, const heads& v) {
    const auto rows = [](const heads& all, token_range tokens, token_range of) {
        std::vector<index_t> list;
        for (index_t n = tokens.begin.value; n < tokens.end.value; ++n) list.push_back(n - of.begin.value);
        return all.rows(list);
    };
    const token_range of = tokens_from(0, k.view().tokens);
    return make_banks(rope, plan, which, region, rows(q, region.queries, of), rows(k, region.keys, of),
                      rows(v, region.keys, of));
}

}  // namespace polyrope::test
