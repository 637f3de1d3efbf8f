// Turning the heads of a token by its row: cosines and sines stay in registers over all heads of a run. Included once
// per level, after channels.inl; cpu/detail/tokens.hpp says which units a head is made of.

// `Units` units of every head of a run that starts at their first channel.
template <class Layout, int Units>
POLYROPE_LEVEL_FUNCTION void turn_run(const head_run& run, index_t half, const float* c_row, const float* s_row,
                                      rounding round) {
    using type = typename Layout::type;
    constexpr int registers = Units * Layout::reals;
    real c[registers], s[registers];
    POLYROPE_UNROLL
    for (int r = 0; r < registers; ++r) {
        c[r] = load(c_row + r * width);
        s[r] = load(s_row + r * width);
    }
    const char* from = run.source;
    char* to = run.target;
    for (index_t m = 0; m < run.count; ++m, from += run.source_step, to += run.target_step)
        Layout::template turn_units<Units>(reinterpret_cast<const type*>(from), reinterpret_cast<type*>(to), half, c, s,
                                           round);
}

// Heads that one block turns before the next block comes to them. A token's heads stay in the first-level cache either
// way; in groups the lines of one page are asked for together, which main memory rewards by a tenth.
inline constexpr index_t heads_at_once = 16;

// `count` blocks of `Units` units of every head.
template <class Layout, int Units>
POLYROPE_LEVEL_FUNCTION void turn_blocks(const head_run& all, index_t half, const float* c_row, const float* s_row,
                                         index_t count, rounding round) {
    constexpr index_t bytes = Units * Layout::span * (Layout::halves ? 1 : 2) * sizeof(typename Layout::type);
    constexpr index_t floats = Units * Layout::reals * width;
    const index_t at_once = count == 1 || all.count < 2 * heads_at_once ? all.count : heads_at_once;
    for (index_t m = 0; m < all.count; m += at_once) {
        const head_run run = all.part(m, all.count - m < at_once ? all.count - m : at_once);
        for (index_t b = 0; b < count; ++b)
            turn_run<Layout, Units>(run.moved(b * bytes), half, c_row + b * floats, s_row + b * floats, round);
    }
}

// Blocks of as many units as the registers hold, where every product is rounded once.
template <class Layout>
void turn_wide(const head_run& run, index_t half, const float* c_row, const float* s_row, index_t count, rounding) {
    turn_blocks<Layout, Layout::units>(run, half, c_row, s_row, count, rounding::once);
}
// Units by any rounding.
template <class Layout>
void turn_narrow(const head_run& run, index_t half, const float* c_row, const float* s_row, index_t count,
                 rounding round) {
    turn_blocks<Layout, 1>(run, half, c_row, s_row, count, round);
}

template <class Layout, class Values>
constexpr heads_kernel heads_kernel_of() {
    using type = typename Layout::type;
    static_assert(2 * Layout::span * sizeof(type) <= unit_bytes, "a buffer holds any unit");
    heads_kernel kernel{};
    kernel.units = &turn_narrow<Layout>;
    kernel.unit_pairs = kernel.block_pairs = Layout::span;
    if constexpr (Layout::units > 1) {
        kernel.blocks = &turn_wide<Layout>;
        kernel.block_pairs = Layout::units * Layout::span;
    }
    if constexpr (!Layout::natural_order) kernel.arrange = &Layout::arrange;
    if constexpr (!std::is_same_v<Values, float32_values>) kernel.cast = &cast_row<Values>;
    kernel.size = static_cast<index_t>(sizeof(type));
    kernel.row_floats = Layout::reals * width / Layout::span;
    kernel.halves = Layout::halves;
    return kernel;
}

template <class Layout, class Values>
inline constexpr heads_kernel kernel_for = heads_kernel_of<Layout, Values>();

// The kernel of an element type and a pairing.
template <class Type>
const heads_kernel& heads_of(pairing paired) {
    using values = std::conditional_t<std::is_same_v<Type, float>, float32_values,
                                      std::conditional_t<std::is_same_v<Type, f16>, float16_values, bfloat16_values>>;
    using adjacent = std::conditional_t<values::reals == 2, adjacent_words, adjacent_lanes<values>>;
    if (paired == pairing::adjacent) return kernel_for<adjacent, values>;
    return kernel_for<half_split_layout<values>, values>;
}
