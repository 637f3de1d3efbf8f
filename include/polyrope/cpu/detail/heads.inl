// Turning the heads of a token by its row: token outer, heads inner, cosines and sines in registers over all heads.
// Included once per level, after row.inl.

// What is read is hidden from the optimiser, which would otherwise read it again as an operand of each product: twice
// the loads, and a quarter of the speed in cache.
struct float32_values {
    using type = float;
    static constexpr int reals = 1;
    static POLYROPE_LEVEL_FUNCTION void read(const type* from, real* v) { v[0] = opaque(load(from)); }
    static POLYROPE_LEVEL_FUNCTION void write(type* to, const real* v) { store(to, v[0]); }
    static POLYROPE_LEVEL_FUNCTION real round(real v) { return v; }
};

struct float16_values {
    using type = f16;
    static constexpr int reals = 1;
    static POLYROPE_LEVEL_FUNCTION void read(const type* from, real* v) { v[0] = opaque(load_float16(from)); }
    static POLYROPE_LEVEL_FUNCTION void write(type* to, const real* v) { store_float16(to, v[0]); }
    static POLYROPE_LEVEL_FUNCTION real round(real v) { return round_float16(v); }
};

// A 32-bit word holds two channels. Its even and its odd half widen without a shuffle: two registers per load.
struct bfloat16_values {
    using type = bf16;
    static constexpr int reals = 2;
    static POLYROPE_LEVEL_FUNCTION void read(const type* from, real* v) { load_bfloat16(from, v[0], v[1]); }
    static POLYROPE_LEVEL_FUNCTION void write(type* to, const real* v) { store_bfloat16(to, v[0], v[1]); }
    static POLYROPE_LEVEL_FUNCTION real round(real v) { return round_bfloat16(v); }
};

// Products in the precision of the element type, or kept in float32.
template <class Values>
struct product_rounding {
    bool to_element;
    POLYROPE_LEVEL_FUNCTION real operator()(real v) const { return to_element ? Values::round(v) : v; }
};

template <class Values, bool Once>
POLYROPE_LEVEL_FUNCTION void turn(real& x, real& y, real c, real s, bool rounds_products) {
    if constexpr (Once) {
        turn_once(x, y, c, s);
    } else {
        turn_unfused(x, y, c, s, product_rounding<Values>{rounds_products});
    }
}

// Consecutive heads of a token.
struct head_run {
    const char* source;
    char* target;
    index_t source_step, target_step;  // bytes from head to head
    index_t count;
};

// Units that one block holds: as many as the registers allow. Roundings that repeat another framework's arithmetic go
// unit by unit: they are bound by that arithmetic, and users compile them with everything else.
template <bool Once>
constexpr int units_of(int reals) {
    return Once && block_registers > reals ? block_registers / reals : 1;
}

// How a pairing lays channels over registers. `Units` registers groups at once; a unit holds `Values::reals` registers
// of x and as many of y. `span` is the number of pairs in a unit.
template <class Values, bool Once>
struct half_split_layout {
    using type = typename Values::type;
    static constexpr int reals = Values::reals;
    static constexpr index_t span = width * reals;

    template <int Units>
    static POLYROPE_LEVEL_FUNCTION void turn_units(const type* from, type* to, index_t half, const real* c,
                                                   const real* s, bool rounds) {
        real x[Units * reals], y[Units * reals];
        POLYROPE_UNROLL
        for (int u = 0; u < Units; ++u) {
            Values::read(from + u * span, x + u * reals);
            Values::read(from + half + u * span, y + u * reals);
        }
        POLYROPE_UNROLL
        for (int r = 0; r < Units * reals; ++r) turn<Values, Once>(x[r], y[r], c[r], s[r], rounds);
        POLYROPE_UNROLL
        for (int u = 0; u < Units; ++u) {
            Values::write(to + u * span, x + u * reals);
            Values::write(to + half + u * span, y + u * reals);
        }
    }

    // The last pairs, fewer than a unit, through a buffer.
    static POLYROPE_LEVEL_FUNCTION void turn_rest(const type* from, type* to, index_t half, index_t count,
                                                  const real* c, const real* s, bool rounds) {
        type buffer[2 * span] = {};
        std::memcpy(buffer, from, static_cast<std::size_t>(count) * sizeof(type));
        std::memcpy(buffer + span, from + half, static_cast<std::size_t>(count) * sizeof(type));
        turn_units<1>(buffer, buffer, span, c, s, rounds);
        std::memcpy(to, buffer, static_cast<std::size_t>(count) * sizeof(type));
        std::memcpy(to + half, buffer + span, static_cast<std::size_t>(count) * sizeof(type));
    }

    static POLYROPE_LEVEL_FUNCTION index_t channel(index_t l) { return l; }

    // Pair order to register order: even and odd pairs of a word-wise unit apart.
    static void arrange(const float* c, const float* s, index_t pairs, float* c_out, float* s_out) {
        for (index_t l = 0; l < pairs; l += 2 * width) {
            real even, odd;
            deinterleave(load(c + l), load(c + l + width), even, odd);
            store(c_out + l, even);
            store(c_out + l + width, odd);
            deinterleave(load(s + l), load(s + l + width), even, odd);
            store(s_out + l, even);
            store(s_out + l + width, odd);
        }
    }
    static constexpr bool natural_order = reals == 1;
    static constexpr int units = units_of<Once>(reals);
};

// Words of bfloat16 are whole pairs: x is the even half, y the odd.
template <bool Once>
struct adjacent_words {
    using type = bf16;
    static constexpr int reals = 1;
    static constexpr index_t span = width;
    static constexpr bool natural_order = true;
    static constexpr int units = units_of<Once>(reals);

    template <int Units>
    static POLYROPE_LEVEL_FUNCTION void turn_units(const type* from, type* to, index_t, const real* c, const real* s,
                                                   bool rounds) {
        real x[Units], y[Units];
        POLYROPE_UNROLL
        for (int u = 0; u < Units; ++u) load_bfloat16(from + u * 2 * span, x[u], y[u]);
        POLYROPE_UNROLL
        for (int u = 0; u < Units; ++u) turn<bfloat16_values, Once>(x[u], y[u], c[u], s[u], rounds);
        POLYROPE_UNROLL
        for (int u = 0; u < Units; ++u) store_bfloat16(to + u * 2 * span, x[u], y[u]);
    }
    static POLYROPE_LEVEL_FUNCTION void turn_rest(const type* from, type* to, index_t, index_t count, const real* c,
                                                  const real* s, bool rounds) {
        type buffer[2 * span] = {};
        std::memcpy(buffer, from, static_cast<std::size_t>(2 * count) * sizeof(type));
        turn_units<1>(buffer, buffer, 0, c, s, rounds);
        std::memcpy(to, buffer, static_cast<std::size_t>(2 * count) * sizeof(type));
    }
    static POLYROPE_LEVEL_FUNCTION index_t channel(index_t l) { return 2 * l; }
    static void arrange(const float*, const float*, index_t, float*, float*) {}
};

// x and y of a pair in neighbouring lanes. Cosines are doubled, sines doubled with the sign of x' and y'; the other
// channel of each pair comes by one swap. The bits are those of turn_once: y (-s) = -(y s).
template <class Values, bool Once>
struct adjacent_lanes {
    using type = typename Values::type;
    static constexpr int reals = 2;
    static constexpr index_t span = width;
    static constexpr bool natural_order = false;
    static constexpr int units = units_of<Once>(reals);

    static POLYROPE_LEVEL_FUNCTION real turned(real v, real c, real s, bool rounds) {
        const real other = swap_neighbours(v);
        if constexpr (Once) {
            return fma(v, c, multiply(other, s));
        } else {
            const product_rounding<Values> round{rounds};
            return add(opaque(round(multiply(v, c))), opaque(round(multiply(other, s))));
        }
    }
    template <int Units>
    static POLYROPE_LEVEL_FUNCTION void turn_units(const type* from, type* to, index_t, const real* c, const real* s,
                                                   bool rounds) {
        real v[2 * Units];
        POLYROPE_UNROLL
        for (int r = 0; r < 2 * Units; ++r) Values::read(from + r * width, v + r);
        POLYROPE_UNROLL
        for (int r = 0; r < 2 * Units; ++r) v[r] = turned(v[r], c[r], s[r], rounds);
        POLYROPE_UNROLL
        for (int r = 0; r < 2 * Units; ++r) Values::write(to + r * width, v + r);
    }
    static POLYROPE_LEVEL_FUNCTION void turn_rest(const type* from, type* to, index_t, index_t count, const real* c,
                                                  const real* s, bool rounds) {
        type buffer[2 * span] = {};
        std::memcpy(buffer, from, static_cast<std::size_t>(2 * count) * sizeof(type));
        turn_units<1>(buffer, buffer, 0, c, s, rounds);
        std::memcpy(to, buffer, static_cast<std::size_t>(2 * count) * sizeof(type));
    }
    static POLYROPE_LEVEL_FUNCTION index_t channel(index_t l) { return 2 * l; }
    static void arrange(const float* c, const float* s, index_t pairs, float* c_out, float* s_out) {
        for (index_t l = 0; l < pairs; l += width) {
            real low, high;
            double_up(load(c + l), low, high);
            store(c_out + 2 * l, low);
            store(c_out + 2 * l + width, high);
            double_up(load(s + l), low, high);
            store(s_out + 2 * l, negate_even(low));
            store(s_out + 2 * l + width, negate_even(high));
        }
    }
};

// `Units` units from pair l on, over all heads of a run.
template <class Layout, int Units>
POLYROPE_LEVEL_FUNCTION void turn_block(const head_run& run, index_t l, index_t half, const float* c_row,
                                        const float* s_row, bool rounds) {
    using type = typename Layout::type;
    constexpr int registers = Units * Layout::reals;
    const index_t at = l * (Layout::reals * width / Layout::span);
    real c[registers], s[registers];
    POLYROPE_UNROLL
    for (int r = 0; r < registers; ++r) {
        c[r] = load(c_row + at + r * width);
        s[r] = load(s_row + at + r * width);
    }
    const index_t skip = Layout::channel(l) * static_cast<index_t>(sizeof(type));
    const char* from = run.source + skip;
    char* to = run.target + skip;
    for (index_t m = 0; m < run.count; ++m, from += run.source_step, to += run.target_step)
        Layout::template turn_units<Units>(reinterpret_cast<const type*>(from), reinterpret_cast<type*>(to), half, c, s,
                                           rounds);
}

// Heads that one block turns before the next block comes to them. A token's heads stay in the first-level cache either
// way; in groups the lines of one page are asked for together, which main memory rewards by a tenth.
inline constexpr index_t heads_at_once = 16;

template <class Layout>
void turn_heads(const head_run& all, index_t pairs, const float* c_row, const float* s_row, bool rounds) {
    using type = typename Layout::type;
    constexpr int units = Layout::units;
    const bool one_block = pairs <= units * Layout::span;
    for (index_t m = 0; m < all.count;) {
        head_run run = all;
        run.source += m * all.source_step;
        run.target += m * all.target_step;
        run.count = one_block || all.count - m < 2 * heads_at_once ? all.count - m : heads_at_once;
        m += run.count;
        index_t l = 0;
        for (; l + units * Layout::span <= pairs; l += units * Layout::span)
            turn_block<Layout, units>(run, l, pairs, c_row, s_row, rounds);
        if constexpr (units > 1)
            for (; l + Layout::span <= pairs; l += Layout::span)
                turn_block<Layout, 1>(run, l, pairs, c_row, s_row, rounds);
        if (l == pairs) continue;
        const index_t at = l * (Layout::reals * width / Layout::span);
        real c[Layout::reals], s[Layout::reals];
        for (int r = 0; r < Layout::reals; ++r) {
            c[r] = load(c_row + at + r * width);
            s[r] = load(s_row + at + r * width);
        }
        const index_t skip = Layout::channel(l) * static_cast<index_t>(sizeof(type));
        const char* from = run.source + skip;
        char* to = run.target + skip;
        for (index_t i = 0; i < run.count; ++i, from += run.source_step, to += run.target_step)
            Layout::turn_rest(reinterpret_cast<const type*>(from), reinterpret_cast<type*>(to), pairs, pairs - l, c, s,
                              rounds);
    }
}

// First head of `group` among the heads of an operand: the least m with
// floor((first_head + m) * groups / all_heads) >= group.
inline index_t group_begin(const operand_tensor& o, index_t group, index_t groups) {
    const index_t m = (group * o.all_heads + groups - 1) / groups - o.first_head;
    return m < 0 ? 0 : m > o.heads ? o.heads : m;
}

// Bytes [begin, end) of every head, which no pair turns.
inline void copy_rest(const head_run& run, index_t begin, index_t end) {
    for (index_t m = 0; m < run.count && begin < end; ++m)
        std::memcpy(run.target + m * run.target_step + begin, run.source + m * run.source_step + begin,
                    static_cast<std::size_t>(end - begin));
}

// A layout as the loop over tokens sees it: that loop is compiled once for all of them.
struct layout_kernel {
    void (*turn_heads)(const head_run& run, index_t pairs, const float* c_row, const float* s_row, bool rounds);
    void (*arrange)(const float* c, const float* s, index_t pairs, float* c_out,
                    float* s_out);  // null: pairs stay in order
    index_t size, span;
};

template <class Layout>
constexpr layout_kernel kernel_of_layout() {
    return {&turn_heads<Layout>, Layout::natural_order ? nullptr : &Layout::arrange,
            static_cast<index_t>(sizeof(typename Layout::type)), Layout::span};
}

inline void turn_tokens(const job& j, const layout_kernel& kernel) {
    alignas(64) float c_pairs[pd::most_pairs], s_pairs[pd::most_pairs];
    alignas(64) float c_arranged[2 * pd::most_pairs], s_arranged[2 * pd::most_pairs];
    const rotary& rope = *j.rope;
    const index_t pairs = rope.pairs(), padded = 16 * rope.lane_blocks(), groups = rope.frequencies().groups(),
                  size = kernel.size;
    const bool rounds = rope.round() == rounding::table_cast_each;
    const bool casts = rounds || rope.round() == rounding::table_cast_float32;
    // Rows of a table that need no change are read where they lie.
    const bool in_place_rows = kernel.arrange == nullptr && j.coordinates == nullptr && j.rows == nullptr &&
                               j.step == 1 && j.way == direction::forward && (pairs & (kernel.span - 1)) == 0 &&
                               (j.kind == element::float32 || (j.kind == element::float16 && !casts));
    for (index_t n = j.begin; n < j.end; ++n) {
        const index_t place = j.slots == nullptr ? n : j.slots[n];
        if (place < 0) continue;
        for (index_t group = 0; group < groups; ++group) {
            const float *c = c_pairs, *s = s_pairs;
            if (in_place_rows) {
                c = j.cos + (j.first_row + n - j.begin) * j.row_stride;
                s = j.sin + (j.first_row + n - j.begin) * j.row_stride;
            } else {
                make_row(j, n - j.begin, group, c_pairs, s_pairs);
                if (kernel.arrange != nullptr) {
                    kernel.arrange(c_pairs, s_pairs, padded, c_arranged, s_arranged);
                    c = c_arranged;
                    s = s_arranged;
                }
            }
            for (const operand_tensor& o : j.operands) {
                if (o.heads == 0) continue;
                const index_t first = groups == 1 ? 0 : group_begin(o, group, groups);
                const index_t last = groups == 1 ? o.heads : group_begin(o, group + 1, groups);
                if (first >= last) continue;
                const head_run run{static_cast<const char*>(o.source) +
                                       (place * o.source_token_stride + first * o.source_head_stride) * size,
                                   static_cast<char*>(o.target) +
                                       (place * o.target_token_stride + first * o.target_head_stride) * size,
                                   o.source_head_stride * size, o.target_head_stride * size, last - first};
                kernel.turn_heads(run, pairs, c, s, rounds);
                if (j.copies_rest) copy_rest(run, rope.rotary_dim() * size, o.head_dim * size);
            }
        }
    }
}

template <class Values, bool Once>
void turn_with(const job& j) {
    constexpr layout_kernel half_split = kernel_of_layout<half_split_layout<Values, Once>>();
    if constexpr (Values::reals == 2) {
        constexpr layout_kernel adjacent = kernel_of_layout<adjacent_words<Once>>();
        turn_tokens(j, j.rope->paired() == pairing::half_split ? half_split : adjacent);
    } else {
        constexpr layout_kernel adjacent = kernel_of_layout<adjacent_lanes<Values, Once>>();
        turn_tokens(j, j.rope->paired() == pairing::half_split ? half_split : adjacent);
    }
}

// The kernel of an element type.
template <class Type>
void turn_job(const job& j) {
    using values = std::conditional_t<std::is_same_v<Type, float>, float32_values,
                                      std::conditional_t<std::is_same_v<Type, f16>, float16_values, bfloat16_values>>;
    if (j.rope->round() == rounding::once) {
        turn_with<values, true>(j);
    } else {
        turn_with<values, false>(j);
    }
}
