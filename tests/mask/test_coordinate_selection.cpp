#include "polyrope/mask/coordinate_selection.hpp"
#include "support/catch.hpp"

using namespace polyrope;

TEST_CASE("the four selections choose per kind of pair") {
    constexpr auto t = modality::text, v = modality::visual;
    constexpr auto p = position_source::coordinates, n = position_source::neutral;
    struct row {
        coordinate_selection which;
        position_source tv, vv;
    };
    for (const row& r : {row{selection::original, p, p}, row{selection::without_tv_spatial, n, p},
                         row{selection::without_vv_spatial, p, n}, row{selection::without_both_spatial, n, n}}) {
        CHECK(source_for(r.which, t, t) == p);
        CHECK(source_for(r.which, t, v) == r.tv);
        CHECK(source_for(r.which, v, t) == r.tv);
        CHECK(source_for(r.which, v, v) == r.vv);
        CHECK(r.which.is_mixed() == (r.tv != r.vv));
    }
    static_assert(source_for(selection::without_tv_spatial, v, t) == n, "usable in constant expressions");
    CHECK(selection::original == coordinate_selection{});
    CHECK(selection::original != selection::without_tv_spatial);
}
