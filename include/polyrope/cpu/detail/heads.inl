// Turning the heads of a token by its row: token outer, heads inner, cosines and sines in registers over all heads.
// Included once per level, after channels.inl.

// Consecutive heads of a token.
struct head_run {
    const char* source;
    char* target;
    index_t source_step, target_step;  // bytes from head to head
    index_t count;
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

// A block of a pairing is turned as a head of its own.
struct block_shape {
    index_t count, pairs, bytes;
};
inline block_shape blocks_of(const rotary& rope, index_t size) {
    if (rope.paired().is_whole() || rope.paired() == pairing::adjacent)
        return {1, rope.pairs(), rope.rotary_dim() * size};
    const index_t channels = rope.paired().block(rope.rotary_dim());
    return {rope.rotary_dim() / channels, channels / 2, channels * size};
}

inline void turn_tokens(const job& j, const layout_kernel& kernel) {
    // The last block's row is read in whole registers: 32 pairs more.
    alignas(64) float c_pairs[pd::most_pairs + 32], s_pairs[pd::most_pairs + 32];
    alignas(64) float c_arranged[2 * pd::most_pairs], s_arranged[2 * pd::most_pairs];
    const rotary& rope = *j.rope;
    const index_t padded = 16 * rope.lane_blocks(), groups = rope.frequencies().groups(), size = kernel.size;
    const block_shape blocks = blocks_of(rope, size);
    const index_t arranged = blocks.count == 1 ? padded : (blocks.pairs + 31) / 32 * 32;
    const bool rounds = rope.round() == rounding::table_cast_each;
    const bool casts = rounds || rope.round() == rounding::table_cast_float32;
    // Rows of a table that need no change are read where they lie.
    const bool in_place_rows = kernel.arrange == nullptr && j.coordinates == nullptr && j.rows == nullptr &&
                               j.step == 1 && j.way == direction::forward && (blocks.pairs & (kernel.span - 1)) == 0 &&
                               (j.kind == element::float32 || (j.kind == element::float16 && !casts));
    if (blocks.count != 1)
        for (index_t l = padded; l < padded + 32; ++l) c_pairs[l] = s_pairs[l] = 0.0f;
    for (index_t n = j.begin; n < j.end; ++n) {
        const index_t place = j.slots == nullptr ? n : j.slots[n];
        if (place < 0) continue;
        for (index_t group = 0; group < groups; ++group) {
            const float *c_row = c_pairs, *s_row = s_pairs;
            if (in_place_rows) {
                c_row = j.cos + (j.first_row + n - j.begin) * j.row_stride;
                s_row = j.sin + (j.first_row + n - j.begin) * j.row_stride;
            } else {
                make_row(j, n - j.begin, group, c_pairs, s_pairs);
            }
            for (index_t block = 0; block < blocks.count; ++block) {
                const float *c = c_row + block * blocks.pairs, *s = s_row + block * blocks.pairs;
                if (kernel.arrange != nullptr) {
                    kernel.arrange(c, s, arranged, c_arranged, s_arranged);
                    c = c_arranged;
                    s = s_arranged;
                }
                for (const operand_tensor& o : j.operands) {
                    if (o.heads == 0) continue;
                    const index_t first = groups == 1 ? 0 : group_begin(o, group, groups);
                    const index_t last = groups == 1 ? o.heads : group_begin(o, group + 1, groups);
                    if (first >= last) continue;
                    head_run run{static_cast<const char*>(o.source) +
                                     (place * o.source_token_stride + first * o.source_head_stride) * size,
                                 static_cast<char*>(o.target) +
                                     (place * o.target_token_stride + first * o.target_head_stride) * size,
                                 o.source_head_stride * size, o.target_head_stride * size, last - first};
                    if (j.copies_rest && block == 0) copy_rest(run, rope.rotary_dim() * size, o.head_dim * size);
                    run.source += block * blocks.bytes;
                    run.target += block * blocks.bytes;
                    kernel.turn_heads(run, blocks.pairs, c, s, rounds);
                }
            }
        }
    }
}

template <class Values, bool Once>
void turn_with(const job& j) {
    constexpr layout_kernel half_split = kernel_of_layout<half_split_layout<Values, Once>>();
    if constexpr (Values::reals == 2) {
        constexpr layout_kernel adjacent = kernel_of_layout<adjacent_words<Once>>();
        turn_tokens(j, j.rope->paired() == pairing::adjacent ? adjacent : half_split);
    } else {
        constexpr layout_kernel adjacent = kernel_of_layout<adjacent_lanes<Values, Once>>();
        turn_tokens(j, j.rope->paired() == pairing::adjacent ? adjacent : half_split);
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
