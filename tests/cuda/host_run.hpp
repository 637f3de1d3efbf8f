#pragma once
// Runs a launch on the host: the same bodies, block by block and thread by thread. The kernels are those of shipped.inl
// and no others.

#include <stdexcept>

#include "polyrope/cuda/detail/bind_banks.hpp"
#include "polyrope/cuda/detail/bind_fused.hpp"
#include "polyrope/cuda/detail/fill.hpp"
#include "polyrope/cuda/detail/shipped.hpp"

namespace polyrope::test {

/// Lanes of one head one after the other: a first pass keeps what each lane adds, a second one gives it the total of
/// all.
template <bool Collects>
struct host_lanes {
    static constexpr bool collects = Collects;
    std::int32_t width;
    std::vector<float>* own;           // of this lane, one per sum
    const std::vector<float>* totals;  // of all lanes
    mutable std::size_t done = 0;
    [[nodiscard]] float sum(float x) const {
        if constexpr (Collects) return own->push_back(x), x;
        return totals->at(done++);
    }
};

/// The sums of `lanes`, added in the butterfly of a warp. Throws where they did not meet at the same sums.
inline std::vector<float> butterfly(std::vector<std::vector<float>> lanes) {
    for (const auto& lane : lanes)
        if (lane.size() != lanes[0].size()) throw std::logic_error("the lanes of a head meet at different sums");
    for (std::size_t d = lanes.size() / 2; d > 0; d /= 2) {
        const auto before = lanes;
        for (std::size_t i = 0; i < lanes.size(); ++i)
            for (std::size_t s = 0; s < lanes[i].size(); ++s)
                lanes[i][s] = detail::scalar::add(before[i][s], before[i ^ d][s]);
    }
    return lanes[0];
}

/// The chunk of a launch that block.y, block.z and the grid place at token n.
template <class T, cuda::detail::channel_order Order, class Source, int Pairs, cuda::detail::parts Parts>
void run_chunk(const cuda::detail::rotate_task& task, std::int32_t width, index_t n, std::int32_t chunk) {
    using namespace cuda::detail;
    std::vector<float> totals;
    if constexpr (has_norm(Parts)) {
        std::vector<std::vector<float>> own(static_cast<std::size_t>(width));
        for (std::int32_t lane = 0; lane < width; ++lane)
            turn_token<T, Order, Source, Pairs, Parts>(
                task, n, lane, chunk, host_lanes<true>{width, &own[static_cast<std::size_t>(lane)], nullptr});
        totals = butterfly(std::move(own));
    }
    for (std::int32_t lane = 0; lane < width; ++lane)
        turn_token<T, Order, Source, Pairs, Parts>(task, n, lane, chunk, host_lanes<false>{width, nullptr, &totals});
}

/// Every token and chunk that a launch has work for.
template <class T, cuda::detail::channel_order Order, class Source, int Pairs, cuda::detail::parts Parts>
void run_launch(const cuda::detail::rotate_task& task, const cuda::detail::launch_shape& shape) {
    for (index_t x = 0; x < shape.token_blocks; ++x)
        for (std::int32_t y = 0; y < shape.chunk_blocks; ++y)
            for (std::int32_t z = 0; z < shape.tokens; ++z)
                for (std::int32_t j = 0; j < shape.chunks; ++j) {
                    const index_t n = x * shape.tokens + z;
                    const std::int32_t chunk = y * shape.chunks + j;
                    if (n < task.tokens && chunk < task.chunks)
                        run_chunk<T, Order, Source, Pairs, Parts>(task, shape.lanes, n, chunk);
                }
}

template <class T, class Source, cuda::detail::parts Parts>
status run_listed(const cuda::detail::rotate_task& task, pairing paired) {
    using namespace cuda::detail;
    const int pairs = pairs_per_thread(task, Parts, sizeof(T));
    const channel_order order = paired == pairing::adjacent ? channel_order::adjacent : channel_order::half_split;
    status done = not_shipped(task, Parts, sizeof(T));
    for_shipped<T, Source, Parts>([&](auto kernel) {
        using of = decltype(kernel);
        if (of::order != order || of::pairs != pairs) return;
        launch_shape shape;
        done = shape_launch(shape, task, Parts, pairs);
        if (done.ok()) run_launch<T, of::order, Source, of::pairs, Parts>(task, shape);
    });
    return done;
}
template <class T, class Source, cuda::detail::parts... Any>
status run_one_of(cuda::detail::parts what, const cuda::detail::rotate_task& task, pairing paired) {
    status done{errc::unsupported, operand::none, 0, 0, 0};
    static_cast<void>(((Any == what && (done = run_listed<T, Source, Any>(task, paired), true)) || ...));
    return done;
}

/// cuda::rotate_to on the host; in place where q_from is null.
template <class T, class Source, class Positions>
status host_rotate(const cuda::device_rotary& rope, const Positions& positions, const heads_view<const T>* q_from,
                   heads_view<T> q, const heads_view<const T>* k_from, heads_view<T> k,
                   const cuda::rotate_options& options = {}) {
    using namespace cuda::detail;
    rotate_task task;
    polyrope::detail::call_footprints at;
    if (const status s = bind_task<T, T, T>(task, at, rope, {q_from, q, options.q_shard, operand::q, operand::q_out},
                                            {k_from, k, options.k_shard, operand::k, operand::k_out}, options);
        !s.ok())
        return s;
    if (const status s = bind_source(task, rope, positions, options.way); !s.ok()) return s;
    return run_listed<T, Source, parts::plain>(task, rope.paired);
}

/// cuda::rotate_fused on the host.
template <class Source, class T, class Q, class C, class Positions>
status host_fused(const cuda::device_rotary& rope, const Positions& positions, const cuda::fused_heads<T, Q, C>& heads,
                  const cuda::rotate_options& options = {}) {
    using namespace cuda::detail;
    rotate_task task;
    parts what{};
    if (const status s = bind_fused(task, what, rope, heads, options); !s.ok()) return s;
    if (const status s = bind_source(task, rope, positions, options.way); !s.ok()) return s;
    return run_one_of<T, Source, parts::plain, parts::norm, parts::write, parts::norm_write>(what, task, rope.paired);
}

/// cuda::rotate_banks on the host.
template <class T>
status host_banks(const cuda::device_rotary& rope, const position_plan& plan, const cuda::device_plan& there,
                  token_index first, coordinate_selection which, heads_view<T> q, heads_view<T> k,
                  heads_view<T> visual_q, heads_view<T> visual_k, const cuda::head_norm<T>& norm = {},
                  const cuda::rotate_options& options = {}) {
    using namespace cuda::detail;
    rotate_task task;
    parts what{};
    if (const status s =
            bind_banks(task, what, rope, plan, there, first, which, q, k, visual_q, visual_k, norm, options);
        !s.ok())
        return s;
    return run_one_of<T, planned_rows, parts::plain, parts::norm, parts::banks, parts::norm_banks>(what, task,
                                                                                                   rope.paired);
}

/// cuda::fill_positions on the host.
template <class Tokens, class P>
status host_fill(const Tokens& tokens, positions_view<P> out, fraction fractions = fraction::refused) {
    using namespace cuda::detail;
    fill_task task;
    fill_shape shape;
    if (const status s = bind_fill(task, tokens, out, fractions); !s.ok()) return s;
    if (const status s = shape_fill(shape, task); !s.ok()) return s;
    for (index_t n = 0; n < shape.blocks * shape.threads; ++n)
        if (n < task.tokens) fill_token(task, n);
    return {};
}

}  // namespace polyrope::test
