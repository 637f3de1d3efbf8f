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

// Scores of a row, visible ones first, become weights relative to the highest score so far; `sums` [16] and `out`
// follow.
inline void softmax_row(float* scores, int visible, score_map map, float& highest, float* sums, float* out,
                        index_t channels) {
    for (int j = visible; j < 64; ++j) scores[j] = scores[0];
    const real scale = splat(map.scale), cap = splat(map.cap);
    for (int j = 0; map.cap > 0.0f && j < 64; j += width)
        store(scores + j, opaque(multiply(tanh_of(opaque(multiply(load(scores + j), scale))), cap)));
    const real factor = splat(map.cap > 0.0f ? 1.0f : map.scale);

    real most = load(scores);
    for (int j = width; j < 64; j += width) most = larger(most, load(scores + j));
    float lanes[width];
    store(lanes, opaque(multiply(most, factor)));
    float top = highest;
    for (int l = 0; l < width; ++l) top = lanes[l] > top ? lanes[l] : top;

    // Far below the highest a weight stops falling, so that none is subnormal.
    const real under = splat(-top), least = splat(-100.0f);
    for (int j = 0; j < 64; j += width)
        store(scores + j, power_of_two(larger(fma(load(scores + j), factor, under), least)));
    for (int j = visible; j < 64; ++j) scores[j] = 0.0f;
    const float fallen = pd::opaque(highest - top);
    const real shrink = power_of_two(splat(fallen > -100.0f ? fallen : -100.0f));
    for (int l = 0; l < 16; l += width) {
        real sum = fma(load(sums + l), shrink, load(scores + l));
        for (int j = 16; j < 64; j += 16) sum = opaque(add(sum, load(scores + j + l)));
        store(sums + l, sum);
    }
    if (top > highest)
        for (index_t c = 0; c < channels; c += width) store(out + c, multiply(load(out + c), shrink));
    highest = top;
}
