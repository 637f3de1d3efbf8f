// Requests packed one behind the other: the calls of each, at its own rows of every order.

#include "mask/seen.hpp"

using namespace polyrope;
using namespace polyrope::test;

TEST_CASE("packed batches of random prompts cover the pairs inside each request once, and no others") {
    random_prompts random(17);
    for (int round = 0; round < 30; ++round) {
        layout::mrope layout{2};
        layout.spatial_reset = round % 2 == 0;
        std::vector<position_plan> plans;
        std::vector<attention_region> regions;
        for (index_t i = random.number(1, 5); i > 0; --i) {
            plans.push_back(plan_of(layout, random.prompt(3)));
            const index_t size = plans.back().size(), begin = random.number(0, size);
            const index_t end = random.number(begin, size);
            regions.push_back({{token_index{begin}, token_index{end}}, {token_index{0}, token_index{end}}});
        }
        // Rows of a token in the packed queries and keys of all orders: one request behind the other.
        const auto packed = [&](token_order order, bool keys) {
            std::vector<index_t> rows;
            index_t first = 0;
            for (std::size_t r = 0; r < plans.size(); ++r) {
                const token_range range = keys ? regions[r].keys : regions[r].queries;
                std::vector<index_t> own(static_cast<std::size_t>(order_size(plans[r], range, order)));
                REQUIRE(order_indices(plans[r], range, order, own.data(), static_cast<index_t>(own.size())).ok());
                for (const index_t n : own) rows.push_back(first + n);
                first += range.size();
            }
            return rows;
        };
        const std::vector<index_t> queries[3] = {packed(token_order::all, false), packed(token_order::text, false),
                                                 packed(token_order::visual, false)},
                                   keys[3] = {packed(token_order::all, true), packed(token_order::text, true),
                                              packed(token_order::visual, true)};
        for (const coordinate_selection which : selections)
            for (const visibility sees : {visibility::causal, visibility::whole_image}) {
                const std::size_t columns = keys[0].size();
                std::vector<int> met(queries[0].size() * columns, 0);
                index_t first_query[3] = {}, first_key[3] = {};
                for (std::size_t r = 0; r < plans.size(); ++r) {
                    auto calls = *attention_calls::make(plans[r], which, regions[r], sees);
                    for (attention_call c; calls.next(c);) {
                        const auto a = static_cast<std::size_t>(c.query_order),
                                   b = static_cast<std::size_t>(c.key_order);
                        for (index_t i = c.query_begin; i < c.query_end; ++i) {
                            const index_t end = c.causal ? c.key_end - (c.query_end - 1 - i) : c.key_end;
                            for (index_t j = c.key_begin; j < end; ++j)
                                ++met[static_cast<std::size_t>(
                                          queries[a].at(static_cast<std::size_t>(first_query[a] + i))) *
                                          columns +
                                      static_cast<std::size_t>(keys[b].at(static_cast<std::size_t>(first_key[b] + j)))];
                        }
                    }
                    for (const token_order order : {token_order::all, token_order::text, token_order::visual}) {
                        first_query[static_cast<int>(order)] += order_size(plans[r], regions[r].queries, order);
                        first_key[static_cast<int>(order)] += order_size(plans[r], regions[r].keys, order);
                    }
                }
                bool right = true;
                std::size_t row = 0, key0 = 0;
                for (std::size_t r = 0; r < plans.size(); ++r) {
                    const index_t begin = regions[r].queries.begin.value, end = regions[r].queries.end.value;
                    for (index_t n = begin; n < end; ++n, ++row)
                        for (std::size_t column = 0; column < columns; ++column) {
                            const index_t j = static_cast<index_t>(column) - static_cast<index_t>(key0);
                            const bool own = j >= 0 && j < end;
                            const bool inside = own && sees == visibility::whole_image &&
                                                plans[r].kind_of(token_index{n}) == modality::visual &&
                                                j < image_around(plans[r], n).end.value;
                            right = right && met[row * columns + column] == (own && (j <= n || inside) ? 1 : 0);
                        }
                    key0 += static_cast<std::size_t>(end);
                }
                CHECK(right);
            }
    }
}

TEST_CASE("packed requests are walked one by one, each with its own index lists") {
    // Two requests side by side: rows of the second start where the first ends, in every order.
    const position_plan plans[2] = {plan_a(), plan_of(layout::mrope{2}, {image(patch_grid{1, 4, 4}), text(3)})};
    index_t tokens = 0, visual = 0;
    std::vector<int> q_rows(22, 0), visual_rows(10, 0);
    for (const position_plan& plan : plans) {
        const token_range all{token_index{0}, token_index{plan.size()}};
        auto calls = *attention_calls::make(plan, selection::without_tv_spatial, {all, all});
        for (attention_call c; calls.next(c);)
            for (index_t i = c.query_begin; i < c.query_end; ++i)
                ++(c.query_order == token_order::all ? q_rows[static_cast<std::size_t>(tokens + i)]
                                                     : visual_rows[static_cast<std::size_t>(visual + i)]);
        tokens += plan.size();
        visual += visual_tokens(plan, all);
    }
    CHECK(tokens == 22);
    CHECK(visual == 10);
    for (const int n : visual_rows) CHECK(n == 1);
    // The second prompt begins with its image: no text stands before it, so its rows come in the visual call alone.
    CHECK(q_rows == std::vector<int>{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1});
}
