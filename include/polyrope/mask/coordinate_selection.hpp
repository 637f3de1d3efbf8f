#pragma once
// Which of a token's two positions a (query, key) pair uses: where it sits, or the point of the text trajectory that it
// stands at. "Disentangling Multimodal Rotary Positional Embedding in Vision-Language Models" (arXiv:2611.13334) shows
// that no single layout is both neutral to text and spatial inside an image, and chooses per kind of pair.
//
//                             text-vision   vision-vision       a pair is text-vision (T-V) where exactly one of its
//     original                original      original            tokens is visual, in both directions; vision-vision
//     without_tv_spatial      neutral       original            (V-V) where both are, in one image or in two
//     without_vv_spatial      original      neutral
//     without_both_spatial    neutral       neutral             text stands at its own coordinates: T-T never changes
//
// No public code is known. Tested against scores evaluated from the definition.

#include "polyrope/core/segment.hpp"
#include "polyrope/layout/fill_options.hpp"

POLYROPE_BEGIN

struct coordinate_selection {
    position_source tv = position_source::coordinates;  ///< of text-vision pairs
    position_source vv = position_source::coordinates;  ///< of vision-vision pairs

    /// Whether visual tokens need both of their positions at once.
    [[nodiscard]] POLYROPE_HOST_DEVICE constexpr bool is_mixed() const noexcept { return tv != vv; }

    friend POLYROPE_HOST_DEVICE constexpr bool operator==(coordinate_selection x, coordinate_selection y) noexcept {
        return x.tv == y.tv && x.vv == y.vv;
    }
    friend POLYROPE_HOST_DEVICE constexpr bool operator!=(coordinate_selection x, coordinate_selection y) noexcept {
        return !(x == y);
    }
};

namespace selection {

inline constexpr coordinate_selection original{position_source::coordinates, position_source::coordinates};
inline constexpr coordinate_selection without_tv_spatial{position_source::neutral, position_source::coordinates};
inline constexpr coordinate_selection without_vv_spatial{position_source::coordinates, position_source::neutral};
inline constexpr coordinate_selection without_both_spatial{position_source::neutral, position_source::neutral};

}  // namespace selection

/// The position that the visual tokens of a pair use. Text has one position, whatever this says.
[[nodiscard]] POLYROPE_HOST_DEVICE constexpr position_source source_for(coordinate_selection which, modality query,
                                                                        modality key) noexcept {
    if (query == modality::visual && key == modality::visual) return which.vv;
    return query == modality::text && key == modality::text ? position_source::coordinates : which.tv;
}

POLYROPE_END
