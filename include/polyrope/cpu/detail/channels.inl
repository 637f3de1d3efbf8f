// How the channels of a head lie in registers and are turned there, for each element type and pairing. Included once
// per level, after row.inl.

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

// A row in the precision of the element type, where the rounding casts the table.
template <class Values>
void cast_row(float* row, index_t pairs) {
    for (index_t l = 0; l < pairs; l += width) store(row + l, Values::round(load(row + l)));
}

// Products in the precision of the element type, or kept in float32.
template <class Values>
struct product_rounding {
    bool to_element;
    POLYROPE_LEVEL_FUNCTION real operator()(real v) const { return to_element ? Values::round(v) : v; }
};

// Turns `Count` registers of pairs. One branch serves all roundings: those that repeat another framework's arithmetic
// are bound by it, and users compile the kernel with everything else.
template <class Values, int Count>
POLYROPE_LEVEL_FUNCTION void turn_pairs(real* x, real* y, const real* c, const real* s, rounding round) {
    if (round == rounding::once) {
        POLYROPE_UNROLL
        for (int r = 0; r < Count; ++r) turn_once(x[r], y[r], c[r], s[r]);
    } else {
        const product_rounding<Values> product{round == rounding::table_cast_each};
        POLYROPE_UNROLL
        for (int r = 0; r < Count; ++r) turn_unfused(x[r], y[r], c[r], s[r], product);
    }
}

// Units that are turned at once: as many as the registers hold.
constexpr int units_of(int reals) { return block_registers > reals ? block_registers / reals : 1; }

// How a pairing lays channels over registers. A unit holds `reals` registers of x and as many of y; `span` is the
// number of pairs in it. `half` is the distance from x to y, in channels.
template <class Values>
struct half_split_layout {
    using type = typename Values::type;
    static constexpr int reals = Values::reals;
    static constexpr index_t span = width * reals;
    static constexpr bool halves = true;

    template <int Units>
    static POLYROPE_LEVEL_FUNCTION void turn_units(const type* from, type* to, index_t half, const real* c,
                                                   const real* s, rounding round) {
        real x[Units * reals], y[Units * reals];
        POLYROPE_UNROLL
        for (int u = 0; u < Units; ++u) {
            Values::read(from + u * span, x + u * reals);
            Values::read(from + half + u * span, y + u * reals);
        }
        turn_pairs<Values, Units * reals>(x, y, c, s, round);
        POLYROPE_UNROLL
        for (int u = 0; u < Units; ++u) {
            Values::write(to + u * span, x + u * reals);
            Values::write(to + half + u * span, y + u * reals);
        }
    }

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
    static constexpr int units = units_of(reals);
};

// Words of bfloat16 are whole pairs: x is the even half, y the odd.
struct adjacent_words {
    using type = bf16;
    static constexpr int reals = 1;
    static constexpr index_t span = width;
    static constexpr bool halves = false;
    static constexpr bool natural_order = true;
    static constexpr int units = units_of(reals);

    template <int Units>
    static POLYROPE_LEVEL_FUNCTION void turn_units(const type* from, type* to, index_t, const real* c, const real* s,
                                                   rounding round) {
        real x[Units], y[Units];
        POLYROPE_UNROLL
        for (int u = 0; u < Units; ++u) load_bfloat16(from + u * 2 * span, x[u], y[u]);
        turn_pairs<bfloat16_values, Units>(x, y, c, s, round);
        POLYROPE_UNROLL
        for (int u = 0; u < Units; ++u) store_bfloat16(to + u * 2 * span, x[u], y[u]);
    }
};

// x and y of a pair in neighbouring lanes. Cosines are doubled, sines doubled with the sign of x' and y'; the other
// channel of each pair comes by one swap. The bits are those of turn_once: y (-s) = -(y s).
template <class Values>
struct adjacent_lanes {
    using type = typename Values::type;
    static constexpr int reals = 2;
    static constexpr index_t span = width;
    static constexpr bool halves = false;
    static constexpr bool natural_order = false;
    static constexpr int units = units_of(reals);

    template <int Units>
    static POLYROPE_LEVEL_FUNCTION void turn_units(const type* from, type* to, index_t, const real* c, const real* s,
                                                   rounding round) {
        real v[2 * Units];
        POLYROPE_UNROLL
        for (int r = 0; r < 2 * Units; ++r) Values::read(from + r * width, v + r);
        if (round == rounding::once) {
            POLYROPE_UNROLL
            for (int r = 0; r < 2 * Units; ++r) v[r] = fma(v[r], c[r], multiply(swap_neighbours(v[r]), s[r]));
        } else {
            const product_rounding<Values> product{round == rounding::table_cast_each};
            POLYROPE_UNROLL
            for (int r = 0; r < 2 * Units; ++r)
                v[r] = add(opaque(product(multiply(v[r], c[r]))),
                           opaque(product(multiply(swap_neighbours(v[r]), s[r]))));
        }
        POLYROPE_UNROLL
        for (int r = 0; r < 2 * Units; ++r) Values::write(to + r * width, v + r);
    }
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
