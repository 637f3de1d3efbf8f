// One token's row of cosines and sines, in the order of pairs. Included once per level, after its operations and
// core/sincos.inl. Rows are padded to a multiple of 32 pairs, and the padding is finite.

// The first `count` floats, fewer than a register, the rest zero: never reads past the end of an engine's table.
POLYROPE_NOINLINE inline real load_last(const float* from, index_t count) {
    alignas(64) float buffer[width] = {};
    for (index_t i = 0; i < count; ++i) buffer[i] = from[i];
    return load(buffer);
}
POLYROPE_ALWAYS_INLINE real load_some(const float* from, index_t count) {
    return count >= width ? load(from) : load_last(from, count);
}

// The same from a row that holds a value at both channels of a pair of blocks.
POLYROPE_NOINLINE inline real load_blocks(const float* row, index_t l, index_t count, pairing paired) {
    alignas(64) float buffer[width] = {};
    for (index_t i = 0; i < width && i < count; ++i) buffer[i] = row[first_channel(paired, l + i)];
    return load(buffer);
}

// Elements l, l + 1, ... of one table row, `left` of them there; `step` 2 skips every second float.
POLYROPE_ALWAYS_INLINE real load_row(const float* row, index_t l, index_t left, index_t step, pairing paired) {
    if (step == 1) return load_some(row + l, left);
    if (step == 0) return load_blocks(row, l, left, paired);
    // The last element has no neighbour that may be read.
    const index_t floats = 2 * left - 1;
    real even, odd;
    deinterleave(load_some(row + 2 * l, floats),
                 floats > width ? load_some(row + 2 * l + width, floats - width) : splat(0.0f), even, odd);
    return even;
}

// cos and sin of the float32 product of position and inv_freq, taken in float64.
POLYROPE_NOINLINE inline void sincos_float32_product(real position, real inv_freq, real& s, real& c) {
    const real angle = opaque(multiply(position, inv_freq));
    wide sine[2], cosine[2], quarter[2];
    sincos_polynomials(widen_low(angle), sine[0], cosine[0], quarter[0]);
    sincos_polynomials(widen_high(angle), sine[1], cosine[1], quarter[1]);
    quadrant(narrow_integer(quarter[0], quarter[1]), narrow(sine[0], sine[1]), narrow(cosine[0], cosine[1]), s, c);
}

// The long road of positions past 2^24 and of fractions that one float does not hold.
POLYROPE_NOINLINE inline void sincos_split(const token_coordinates& at, const pd::pair_lanes& block, int i, real& s,
                                           real& c) {
    sincos_turns_split(pick(at.many, block.axis + i), pick(at.low, block.axis + i), pick(at.rest, block.axis + i),
                       load(block.turns_hi + i), load(block.turns_lo + i), load(block.wrapped_hi + i),
                       load(block.wrapped_lo + i), s, c);
}

inline void phase_row(const rotary& rope, const token_coordinates& at, index_t group, float* c_row, float* s_row) {
    const pd::pair_lanes* lanes = rope.lanes(group);
    const index_t blocks = rope.lane_blocks();
    const bool product = rope.angle() == phase::float32;
    for (index_t b = 0; b < blocks; ++b) {
        const pd::pair_lanes& block = lanes[b];
        for (int i = 0; i < 16; i += width) {
            real s, c;
            const real low = pick(at.low, block.axis + i);
            if (product) {
                sincos_float32_product(low, load(block.inv_freq + i), s, c);
            } else if (at.split == 0) {
                sincos_turns(low, load(block.turns_hi + i), load(block.turns_lo + i), s, c);
            } else {
                sincos_split(at, block, i, s, c);
            }
            store(c_row + 16 * b + i, c);
            store(s_row + 16 * b + i, s);
        }
    }
}

// A row of a table: the token's own, or of each pair's axis the row of its position.
inline void table_row(const job& j, index_t i, index_t group, float* c_row, float* s_row) {
    const pd::pair_lanes* lanes = j.rope->lanes(group);
    const index_t pairs = j.rope->pairs(), padded = 16 * j.rope->lane_blocks();
    const bool by_position = j.rows != nullptr;
    for (index_t l = 0; l < padded; l += width) {
        // A pair that has no axis has no row either: it is scaled and not turned.
        real c = splat(static_cast<float>(j.rope->frequencies().attention_scaling())), s = splat(0.0f);
        const std::int32_t* axis = lanes[l / 16].axis + l % 16;
        for (int a = 0; l < pairs && a < (by_position ? j.rope->axes() : 1); ++a) {
            const index_t at = (by_position ? j.rows[8 * i + a] : j.first_row + i) * j.row_stride;
            const real row_c = load_row(j.cos + at, l, pairs - l, j.step, j.rope->paired()),
                       row_s = load_row(j.sin + at, l, pairs - l, j.step, j.rope->paired());
            c = by_position ? choose_axis(axis, a, row_c, c) : row_c;
            s = by_position ? choose_axis(axis, a, row_s, s) : row_s;
        }
        store(c_row + l, canonical(c));
        store(s_row + l, canonical(s));
    }
}

// Keys that are turned on: from the row they have to the row they need.
inline void subtract_row(const job& j, index_t i, index_t group, float* c_row, float* s_row) {
    alignas(64) float from_c[pd::most_pairs], from_s[pd::most_pairs];
    phase_row(*j.rope, j.subtract[i], group, from_c, from_s);
    for (index_t l = 0; l < 16 * j.rope->lane_blocks(); l += width) {
        const real c = load(c_row + l), s = load(s_row + l), c0 = load(from_c + l), s0 = load(from_s + l);
        store(c_row + l, fma(c, c0, multiply(s, s0)));
        store(s_row + l, fused_subtract(s, c0, multiply(c, s0)));
    }
}

// Scaled and turned back as the job asks.
inline void finish_row(const job& j, float factor, float* c_row, float* s_row) {
    const bool back = j.way != direction::forward;
    if (!back && factor == 1.0f) return;
    for (index_t l = 0; l < 16 * j.rope->lane_blocks(); l += width) {
        const real c = multiply(load(c_row + l), splat(factor)), s = multiply(load(s_row + l), splat(factor));
        store(c_row + l, c);
        store(s_row + l, back ? negate(s) : s);
    }
}

// The row of the i-th token of the job.
template <row_source From>
void make_row(const job& j, index_t i, index_t group, float* c_row, float* s_row) {
    const auto scaling = static_cast<float>(j.rope->frequencies().attention_scaling());
    const bool undoes = j.way == direction::undo;
    if constexpr (From == row_source::table) {
        table_row(j, i, group, c_row, s_row);
        finish_row(j, undoes ? 1.0f / (scaling * scaling) : 1.0f, c_row, s_row);
    } else {
        phase_row(*j.rope, j.coordinates[i], group, c_row, s_row);
        if constexpr (From == row_source::differences)
            if (j.subtract != nullptr) subtract_row(j, i, group, c_row, s_row);
        finish_row(j, j.turned_before ? 1.0f : undoes ? 1.0f / scaling : scaling, c_row, s_row);
    }
}
