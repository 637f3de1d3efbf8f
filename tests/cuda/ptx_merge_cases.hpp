#pragma once
// Cases of the merge kernel: lists of rows, heads without an answer on either side, rows that are moved element by
// element, and heads of more units than a warp has lanes.

#include <limits>

#include "cuda/host_merge.hpp"
#include "cuda/ptx_case.hpp"
#include "random.hpp"

namespace polyrope::test {

struct merge_shape {
    const char* name;
    index_t rows, into_rows, heads, head_dim, stride;
    bool listed, first;  // first: no query has an answer yet, and what its memory holds is not read
};

template <class T>
cuda::partial_attention<T> add_answer(launch_case<cuda::detail::merge_task>& c, random_bits& random,
                                      const std::string& name, index_t rows, const merge_shape& shape, bool filled) {
    T* const data = c.add_late<T>(filled ? name : name + "_out", rows * shape.heads * shape.stride);
    for (index_t i = 0; filled && i < rows * shape.heads * shape.stride; ++i)
        put_random(data[i], random, values::ordinary);
    float* const log_sum_exp = c.add_late<float>(name + "_log_sum_exp", rows * shape.heads);
    for (index_t i = 0; i < rows * shape.heads; ++i)
        log_sum_exp[i] = filled && i != 1 ? static_cast<float>(random.between(-3000, 3000)) / 512.0f
                                          : -std::numeric_limits<float>::infinity();
    return {{data, rows, shape.heads, shape.head_dim, shape.heads * shape.stride, shape.stride}, log_sum_exp};
}

template <class T>
void write_merge_kernel(nlohmann::json& all, const std::string& kernel) {
    random_bits random(static_cast<std::uint64_t>(all.size()) + 17);
    for (const merge_shape& shape : {merge_shape{"a list of rows", 4, 5, 3, 24, 24, true, false},
                                     {"element by element", 2, 2, 2, 5, 7, false, false},
                                     {"several units a lane", 2, 2, 1, 264, 264, false, false},
                                     {"the first answer", 2, 3, 2, 16, 24, false, true}}) {
        launch_case<cuda::detail::merge_task> c;
        c.name = shape.name;
        c.buffers.reserve(5);
        const auto into = add_answer<T>(c, random, "into", shape.into_rows, shape, !shape.first);
        const auto from = add_answer<T>(c, random, "from", shape.rows, shape, true);
        index_t* rows = nullptr;
        if (shape.listed) {
            rows = c.add<index_t>("rows", shape.rows);
            const index_t list[] = {3, -1, 0, 9};
            std::copy(list, list + shape.rows, rows);
        }
        if (const status s = cuda::detail::bind_merge(c.task, into, from.as_const(), rows); !s.ok()) detail::stop(s);
        if (const status s = cuda::detail::shape_merge(c.shape, c.task); !s.ok()) detail::stop(s);
        c.begin();
        // Nothing is moved twice, and what does not count not at all.
        const index_t head = shape.head_dim * static_cast<index_t>(sizeof(T));
        index_t moved_into = 0, moved_from = 0, numbers_into = 0, numbers_from = 0;
        for (index_t i = 0; i < shape.rows; ++i)
            for (index_t m = 0; m < shape.heads; ++m) {
                const index_t n = cuda::detail::merged_row(c.task, i);
                if (n < 0) continue;
                const bool own = !detail::is_no_state(into.log_sum_exp[n * shape.heads + m]),
                           other = !detail::is_no_state(from.log_sum_exp[i * shape.heads + m]);
                moved_into += other ? head * (own ? 2 : 1) : 0;
                moved_from += other ? head : 0;
                numbers_into += other ? 8 : 4;
                numbers_from += 4;
            }
        c.bytes = {{shape.first ? "into_out" : "into", moved_into},
                   {"from", moved_from},
                   {"into_log_sum_exp", numbers_into},
                   {"from_log_sum_exp", numbers_from}};
        run_merge<T>(c.task, c.shape);
        all.push_back(c.written(kernel, shape.rows));
    }
}

}  // namespace polyrope::test
