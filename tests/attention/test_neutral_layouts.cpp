// Neutrality in the kernel, under every layout that states neutral points: rotation, banks and streaming attention
// together. Weights are read off with one-hot values.

#include "attention/engine.hpp"
#include "attention/layouts.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

/// Visual tokens of one segment that stand at one neutral point: an image, a frame of a video.
std::vector<std::vector<index_t>> patches_of(const position_plan& plan) {
    std::vector<std::vector<index_t>> out;
    for (index_t n = 0; n < plan.size(); ++n) {
        if (plan.kind_of(token_index{n}) != modality::visual) continue;
        bool known = false;
        for (auto& group : out) {
            const token_index first{group[0]};
            bool same = plan.segment_of(first) == plan.segment_of(token_index{n});
            for (int a = 0; a < plan.axes(); ++a)
                same = same && (*plan.neutral(first))[a] == (*plan.neutral(token_index{n}))[a];
            if (same) group.push_back(n);
            known = known || same;
        }
        if (!known) out.push_back({n});
    }
    return out;
}

/// Whether two patches differ on an axis that some pair turns by.
bool is_spatial(const position_plan& plan, const frequency_table& table, const std::vector<index_t>& patches) {
    for (index_t i = 0; i < table.groups() * table.pairs(); ++i)
        for (const index_t n : patches)
            if (table.data()[i].which != axis_none &&
                plan.coordinates(token_index{n})[table.data()[i].which] !=
                    plan.coordinates(token_index{patches[0]})[table.data()[i].which])
                return true;
    return false;
}

constexpr index_t count = 8, head_dim = 128;

heads one_hot(index_t tokens) {
    heads v{std::vector<double>(static_cast<std::size_t>(tokens * count * tokens)), count, tokens};
    for (index_t n = 0; n < tokens; ++n)
        for (index_t m = 0; m < count; ++m) v.data[static_cast<std::size_t>((n * count + m) * tokens + n)] = 1.0;
    return v;
}

void copy_row(heads& x, index_t from, index_t to) {
    const auto row = static_cast<std::size_t>(x.count * x.channels);
    std::copy_n(x.data.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(from) * row), row,
                x.data.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(to) * row));
}

streamed attend(const rotary& rope, const position_plan& plan, coordinate_selection which, const heads& q,
                const heads& k, const heads& v) {
    const token_range all = tokens_from(0, plan.size());
    attention_options options;
    options.sees = visibility::whole_image;
    return stream(plan, which, {all, all}, engine_tensors_of<float>(rope, plan, 0, which, q, k, v).operands(), options);
}

/// Largest difference of one patch's weight from another's, as part of it, over all text behind and all heads.
double unequal_weights(const streamed& weights, const position_plan& plan, const std::vector<index_t>& patches) {
    double worst = 0.0;
    for (index_t n = patches.back() + 1; n < plan.size(); ++n)
        for (index_t m = 0; m < count && plan.kind_of(token_index{n}) == modality::text; ++m) {
            double low = 1.0, high = 0.0;
            for (const index_t j : patches) {
                const auto w = static_cast<double>(weights.row(n, m)[j]);
                low = std::min(low, w);
                high = std::max(high, w);
            }
            REQUIRE(low > 0.0);
            worst = std::max(worst, (high - low) / high);
        }
    return worst;
}

/// Largest difference between what a content got in two calls, over tokens of a kind: in the second it stands at
/// place[n].
double moved(const streamed& x, const streamed& y, const std::vector<index_t>& place, const position_plan& plan,
             modality kind) {
    double worst = 0.0;
    for (index_t n = 0; n < plan.size(); ++n)
        for (index_t c = 0; c < count * x.channels && plan.kind_of(token_index{n}) == kind; ++c)
            worst = std::max(worst, std::abs(static_cast<double>(x.row(n, 0)[c]) -
                                             static_cast<double>(y.row(place[static_cast<std::size_t>(n)], 0)[c])));
    return worst;
}

}  // namespace

TEST_CASE("text weighs equal patches alike without spatial text-vision positions, under every layout") {
    random_bits random(83);
    int spatial_layouts = 0, layouts = 0;
    for (const one_layout& one : all_layouts()) {
        INFO(one.variant.name);
        const auto made = one.variant.plan(one.prompt);
        INFO(to_string(made.error()).c_str());
        REQUIRE(made.ok());
        const position_plan& plan = *made;
        const index_t size = plan.size();
        const rotary rope = make_rotary(one.variant.table).value();
        if (!plan.has_neutral()) {
            const token_range all = tokens_from(0, size);
            CHECK(attention::streaming<float>(plan, selection::without_tv_spatial, {all, all}, {}, {}).code ==
                  errc::no_neutral_point);
            continue;
        }
        const auto images = patches_of(plan);
        heads q = random_heads(random, size, count, head_dim), k = random_heads(random, size, count, head_dim);
        bool spatial = false;
        for (const auto& patches : images) {
            for (const index_t n : patches) copy_row(k, patches[0], n);
            spatial = spatial || is_spatial(plan, one.variant.table, patches);
        }
        REQUIRE(images.size() >= 3);
        const heads v = one_hot(size);
        for (const coordinate_selection which : selections) {
            const streamed weights = attend(rope, plan, which, q, k, v);
            double worst = 0.0;
            for (const auto& patches : images) worst = std::max(worst, unequal_weights(weights, plan, patches));
            if (which.tv == position_source::neutral || !spatial) CHECK(worst <= 1e-6);
            else CHECK(worst > 5e-2);
        }
        ++layouts;
        spatial_layouts += spatial ? 1 : 0;
    }
    CHECK(layouts >= 21);
    CHECK(layouts - spatial_layouts == 2);  // those that put every patch at its neutral point
}

TEST_CASE("patches that change places change nothing for text, and change what patches see of each other") {
    random_bits random(89);
    for (const one_layout& one : all_layouts()) {
        INFO(one.variant.name);
        const position_plan plan = one.variant.plan(one.prompt).value();
        if (!plan.has_neutral()) continue;
        const index_t size = plan.size();
        const rotary rope = make_rotary(one.variant.table).value();
        const heads q = random_heads(random, size, count, head_dim), k = random_heads(random, size, count, head_dim),
                    v = random_heads(random, size, count, 8);
        // place[n] is where the content of token n goes.
        std::vector<index_t> place(static_cast<std::size_t>(size)), content(place.size());
        for (index_t n = 0; n < size; ++n) place[static_cast<std::size_t>(n)] = n;
        bool spatial = false;
        for (const auto& patches : patches_of(plan)) {
            for (std::size_t i = patches.size() - 1; i > 0; --i)
                std::swap(place[static_cast<std::size_t>(patches[i])],
                          place[static_cast<std::size_t>(
                              patches[static_cast<std::size_t>(random.between(0, static_cast<index_t>(i)))])]);
            spatial = spatial || is_spatial(plan, one.variant.table, patches);
        }
        for (index_t n = 0; n < size; ++n) content[static_cast<std::size_t>(place[static_cast<std::size_t>(n)])] = n;
        for (const coordinate_selection which : selections) {
            const streamed before = attend(rope, plan, which, q, k, v),
                           after = attend(rope, plan, which, q.rows(content), k.rows(content), v.rows(content));
            const double of_text = moved(before, after, place, plan, modality::text),
                         of_patches = moved(before, after, place, plan, modality::visual);
            if (which.tv == position_source::neutral || !spatial) CHECK(of_text <= 2e-6);  // values reach 2
            else CHECK(of_text > 1e-2);
            if (which == selection::without_both_spatial || !spatial) CHECK(of_patches <= 2e-6);
            else CHECK(of_patches > 1e-2);
        }
    }
}
