// Products and softmax of a tile of 64 keys. Included once per level; every level gives the same bits: sums run in the
// order of the inner index, and row sums in 16 lanes.

template <int Rows, int Registers>
POLYROPE_LEVEL_FUNCTION void product_block(const float* a, index_t a_stride, const float* b, index_t b_stride, float* c,
                                           index_t c_stride, index_t depth, bool adds) {
    real sums[Rows][Registers];
    POLYROPE_UNROLL
    for (int r = 0; r < Rows; ++r) {
        POLYROPE_UNROLL
        for (int i = 0; i < Registers; ++i) sums[r][i] = adds ? load(c + r * c_stride + i * width) : splat(0.0f);
    }
    for (index_t d = 0; d < depth; ++d) {
        real row[Registers];
        POLYROPE_UNROLL
        for (int i = 0; i < Registers; ++i) row[i] = load(b + d * b_stride + i * width);
        POLYROPE_UNROLL
        for (int r = 0; r < Rows; ++r) {
            const real x = splat(a[r * a_stride + d]);
            POLYROPE_UNROLL
            for (int i = 0; i < Registers; ++i) sums[r][i] = fma(x, row[i], sums[r][i]);
        }
    }
    POLYROPE_UNROLL
    for (int r = 0; r < Rows; ++r) {
        POLYROPE_UNROLL
        for (int i = 0; i < Registers; ++i) store(c + r * c_stride + i * width, sums[r][i]);
    }
}

// c [rows, columns] = (adds ? c : 0) + a [rows, depth] b [depth, columns]; rows a multiple of 6, columns of 64.
inline void product(const float* a, index_t a_stride, const float* b, index_t b_stride, float* c, index_t c_stride,
                    index_t rows, index_t columns, index_t depth, bool adds) {
    constexpr int registers = width == 16 ? 4 : 2;
    for (index_t j = 0; j < columns; j += registers * width)
        for (index_t r = 0; r < rows; r += 6)
            product_block<6, registers>(a + r * a_stride, a_stride, b + j, b_stride, c + r * c_stride + j, c_stride,
                                        depth, adds);
}

// values [64] become 2^values, for values in [-126, 0]: a Taylor polynomial on half a unit, below 1e-7 of its value.
POLYROPE_LEVEL_FUNCTION void power_of_two(float* values) {
    float whole[64];
    for (int j = 0; j < 64; j += width) {
        const real x = load(values + j), n = round_even(x), f = subtract(x, n);
        real p = splat(1.52527338e-5f);
        p = fma(p, f, splat(1.54035304e-4f));
        p = fma(p, f, splat(1.33335581e-3f));
        p = fma(p, f, splat(9.61812911e-3f));
        p = fma(p, f, splat(5.55041087e-2f));
        p = fma(p, f, splat(2.40226507e-1f));
        p = fma(p, f, splat(6.93147181e-1f));
        store(values + j, fma(p, f, splat(1.0f)));
        store(whole + j, n);
    }
    for (int j = 0; j < 64; ++j)
        values[j] = polyrope::detail::bit_copy<float>(polyrope::detail::bit_copy<std::uint32_t>(values[j]) +
                                                      (static_cast<std::uint32_t>(static_cast<int>(whole[j])) << 23));
}

// Scores of a row, in units of log 2, become weights relative to the highest score so far; `sums` [16] and `out` follow.
inline void softmax_row(float* scores, int visible, float& highest, float* sums, float* out, index_t channels) {
    float top = highest;
    for (int j = 0; j < visible; ++j) top = scores[j] > top ? scores[j] : top;
    float shrink[64] = {};
    shrink[0] = highest - top > -126.0f ? highest - top : -126.0f;
    power_of_two(shrink);
    for (int j = 0; j < 64; ++j) {
        const float below = j < visible ? scores[j] - top : -126.0f;
        scores[j] = below > -126.0f ? below : -126.0f;
    }
    power_of_two(scores);
    for (int j = visible; j < 64; ++j) scores[j] = 0.0f;
    const real factor = splat(shrink[0]);
    for (int l = 0; l < 16; l += width) {
        real sum = fma(load(sums + l), factor, load(scores + l));
        for (int j = 16; j < 64; j += 16) sum = add(sum, load(scores + j + l));
        store(sums + l, sum);
    }
    if (top > highest)
        for (index_t c = 0; c < channels; c += width) store(out + c, multiply(load(out + c), factor));
    highest = top;
}
