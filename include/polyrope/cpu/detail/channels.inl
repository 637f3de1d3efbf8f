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
