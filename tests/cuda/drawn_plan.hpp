#pragma once
// Plans for tests, and their copies "on the device".

#include <vector>

#include "polyrope/cuda/device_plan.hpp"
#include "polyrope/layout/clip.hpp"
#include "polyrope/layout/mrope.hpp"
#include "random.hpp"

namespace polyrope::test {

/// Plans of whole numbers, of fractions, with tables of times and of offsets.
inline position_plan drawn_plan(random_bits& random) {
    layout::mrope where{2};
    const auto kind = random.between(0, 3);
    if (kind == 1) where.text_step = 0.37;
    if (kind == 2) where.time = floored_product(3);
    where.spatial_reset = random.chance(50);
    const segment prompt[] = {text(random.between(0, 9)), image(patch_grid{1, 8, 2 * random.between(1, 9)}),
                              text(random.between(1, 5)),
                              video(patch_grid{random.between(1, 5), 4, 6}, seconds_per_grid{2, 3}), text(4)};
    position_plan plan = *make_plan(where, prompt, 5);
    if (kind != 3) return plan;
    std::vector<char> keep(static_cast<std::size_t>(plan.size()));
    for (char& k : keep) k = random.chance(60) ? 1 : 0;
    return *prune(plan, keep.data(), plan.size());
}

/// A plan with the memory that holds its copy.
struct packed_plan {
    position_plan plan;
    std::vector<index_t> memory;
    explicit packed_plan(position_plan of)
        : plan(std::move(of)), memory(static_cast<std::size_t>(cuda::device_bytes(plan)) / sizeof(index_t)) {
        if (const status s = cuda::pack(plan, memory.data(), cuda::device_bytes(plan)); !s.ok())
            polyrope::detail::stop(s);
    }
    [[nodiscard]] cuda::device_plan there() const { return cuda::on_device(plan, memory.data()); }
};

}  // namespace polyrope::test
