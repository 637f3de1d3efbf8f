#pragma once
// Which turned keys a cache must hold. Text has one position, so a text key is held once. A text query asks every
// visual key at its text-vision position, under all four selections; only a visual query asks for the vision-vision
// one. So once the last visual query of a prompt is done, one bank per key serves everything that is still to come:
// text to be decoded, drafts, beams.
//
//     queries still to come                       without_tv_spatial            original
//     text only                                   neutral                       original
//     visual (a prompt that is partly prefilled,  original, and neutral where   original
//     a model that generates images)              text is to come too

#include "polyrope/mask/coordinate_selection.hpp"
#include "polyrope/mask/kind_runs.hpp"

POLYROPE_BEGIN

/// Banks that a visual key must be held in. A text key is the same in both and is held once.
struct cache_requirement_t {
    bool original = false;
    bool neutral = false;

    [[nodiscard]] constexpr index_t banks() const noexcept { return (original ? 1 : 0) + (neutral ? 1 : 0); }
    /// Bytes of one token's keys of one layer; 0 where no query is to come.
    [[nodiscard]] constexpr index_t key_bytes(modality kind, index_t heads, index_t head_dim,
                                              index_t element_bytes) const noexcept {
        const index_t copies = kind == modality::text && banks() > 0 ? 1 : banks();
        return copies * heads * head_dim * element_bytes;
    }
};

/// What the keys of a plan must be held in while the queries of `to_come` are still to come: [first token that is not
/// prefilled, end of the prompt) in a chunked prefill, [first token, index_max) where text is decoded behind it.
[[nodiscard]] inline cache_requirement_t cache_requirement(const position_plan& plan, coordinate_selection which,
                                                           token_range to_come) noexcept {
    cache_requirement_t needed;
    const auto need = [&needed](position_source bank) {
        (bank == position_source::neutral ? needed.neutral : needed.original) = true;
    };
    kind_runs runs(plan, {to_come.begin.value < 0 ? token_index{0} : to_come.begin, to_come.end});
    for (kind_run run; runs.next(run);) need(source_for(which, run.kind, modality::visual));
    return needed;
}

POLYROPE_END
