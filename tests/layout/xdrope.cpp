// XD-RoPE: what holds of every layout, the kinds of an image's slots, and what is refused.

#include "polyrope/layout/xdrope.hpp"

#include "layout/check_layout.hpp"
#include "polyrope/layout/tokens.hpp"

using namespace polyrope;
using namespace polyrope::test;

TEST_CASE("XD-RoPE keeps what every layout keeps") {
    check_layout(layout::xdrope{2}, 31, false, 12, false);
    check_layout(layout::xdrope{1, 5}, 32, false, 12, false);
}

TEST_CASE("fault 16: new-line cells and the slots around an image's cells", "[fault]") {
    const position_plan plan = plan_of(layout::xdrope{2}, {text(2), image(patch_grid{1, 4, 4}), text(1)});
    CHECK(plan.size() == 11);
    CHECK(plan.position_delta() == 0);
    const int cells[][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}};
    for (index_t n = 0; n < 11; ++n) {
        const double own = static_cast<double>(n);
        const bool visual = n >= 3 && n < 9;  // cells and new-line cells; the slots 2 and 9 are text
        CHECK(plan.kind_of(token_index{n}) == (visual ? modality::visual : modality::text));
        const coordinate c = plan.coordinates(token_index{n});
        CHECK(c == (visual ? coordinate{{own, double(cells[n - 3][0]), double(cells[n - 3][1]), 0}}
                           : coordinate{{own, own, own, own}}));
        const coordinate point = *plan.neutral(token_index{n});
        CHECK(point == (visual ? coordinate{{3, 3, 3, 3}} : c));
    }
    CHECK(sentence_of(error_of(layout::xdrope{2}, {image(patch_grid{1, 4, 4}, 4)})) ==
          "segment 0: its grid needs 8 tokens, the prompt holds 4");
}

TEST_CASE("images of a request are counted on through its turns") {
    const std::vector<segment> first{image(patch_grid{1, 2, 2}), text(1), image(patch_grid{1, 4, 2})};
    const std::vector<segment> second{text(1), image(patch_grid{1, 2, 2})};
    for (const index_t start : {0, 3}) {
        const layout::xdrope layout{2, start};
        const auto whole = plan_of(layout, first).append(layout, second.data(), 2, continue_at::generation_start, 4);
        REQUIRE(whole.ok());
        index_t images = start;
        for (const placement& p : whole->placements())
            if (p.kind == modality::visual)
                CHECK(whole->coordinates(token_index{p.first_token})[axis::u] == static_cast<double>(images++));
        CHECK(images == start + 3);
        // A plan that was cut counts on behind what is left of it.
        const auto cut = clip(*whole, 2);
        REQUIRE(cut.ok());
        CHECK(layout.resume(*cut).image == static_cast<double>(start + 1));
    }
}

TEST_CASE("frames and sizes that XD-RoPE has no place for are refused") {
    CHECK(error_of(layout::xdrope{2}, {video(patch_grid{1, 4, 4}, untimed)}).code == errc::frames_not_placed);
    CHECK(error_of(layout::xdrope{2}, {image(patch_grid{2, 4, 4})}) ==
          status{errc::frames_not_placed, operand::segment, 0, 1, 2});
    CHECK(error_of(layout::xdrope{1}, {image(token_grid{1, 1, index_max})}).code == errc::size_overflow);
    CHECK(error_of(layout::xdrope{1}, {image(token_grid{1, index_max, 1})}).code == errc::size_overflow);
    CHECK(error_of(layout::xdrope{3}, {image(patch_grid{1, 4, 3})}).code == errc::side_not_divisible);
}

TEST_CASE("token ids of an image with lines and ends are counted with them") {
    const patch_grid grid{1, 4, 6};
    prompt_media media;
    media.images = &grid, media.image_count = 1;
    media.spatial_merge = 2;
    media.slots = image_slots::lines_and_ends;
    const special_tokens special{1, 3, -1};
    std::vector<int> ids{7, 1};
    ids.insert(ids.end(), 10, 3);
    ids.push_back(2);
    const auto segments = segments_of(ids.data(), 13, special, media);
    REQUIRE(segments.ok());
    CHECK(plan_of(layout::xdrope{2}, *segments).size() == 13);
    ids.insert(ids.begin() + 2, 3);
    CHECK(sentence_of(segments_of(ids.data(), 14, special, media).error()) ==
          "image 0: its grid needs 10 tokens, the prompt holds 11");
    media.slots = image_slots::cells;
    CHECK(segments_of(ids.data(), 14, special, media).error() ==
          status{errc::token_count_mismatch, operand::image, 0, 6, 11});
}
