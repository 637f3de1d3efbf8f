#pragma once
// One call of rotate with everything about it drawn at random, compared with the oracle over whole buffers: turned
// channels, channels past rotary_dim, and every element that the call must not touch.

#include <algorithm>
#include <string>
#include <type_traits>

#include "kernels.hpp"
#include "make_rope.hpp"
#include "oracle.hpp"
#include "support/catch.hpp"

namespace polyrope::test {

/// What a case may draw. Empty lists draw from everything.
struct case_limits {
    index_t rotary_dim = 0;  ///< 0: any
    values kind = values::any;
};

template <class T>
class same_bits_case {
public:
    same_bits_case(std::uint64_t seed, case_limits limits) : random_(seed), limits_(limits) { draw(); }

    /// Compares every level; calls `count` with the number of elements compared.
    void check() {
        switch (position_type_) {
            case 0: return check_with<std::int32_t>();
            case 1: return check_with<std::int64_t>();
            case 2: return check_with<float>();
            default: return check_with<double>();
        }
    }
    [[nodiscard]] std::int64_t turned() const { return turned_; }

private:
    struct tensor {
        std::vector<T> data;
        heads_view<T> view;  // its pointer is an offset into data, as the data is copied
        index_t first = 0;
    };

    static heads_view<T> in(std::vector<T>& data, const tensor& t) {
        heads_view<T> v = t.view;
        v.data = v.empty() ? nullptr : data.data() + t.first;
        return v;
    }

    // A view of its own memory, token rows outside or head rows outside, with gaps.
    tensor draw_tensor(index_t tokens, index_t heads, index_t head_dim) {
        tensor t;
        const index_t gap = random_.chance(50) ? 0 : random_.between(1, 40);
        const index_t outer_gap = random_.chance(50) ? 0 : random_.between(1, 70);
        t.first = random_.chance(50) ? 0 : random_.between(1, 17);
        const bool token_rows = random_.chance(70);
        const index_t inner = head_dim + gap, rows = token_rows ? heads : tokens;
        const index_t outer = std::max<index_t>(inner * rows, head_dim) + outer_gap;
        t.view = {nullptr, tokens, heads, head_dim, token_rows ? outer : inner, token_rows ? inner : outer};
        const index_t size = t.first + (token_rows ? tokens : heads) * outer + random_.between(0, 9);
        t.data = random_buffer<T>(size, random_, limits_.kind);
        return t;
    }

    void draw() {
        static constexpr index_t dims[] = {2,  4,  6,  8,  10, 14,  16,  18,  30,  32,  34,  50,  62, 64,
                                           66, 72, 80, 96, 98, 112, 126, 128, 130, 160, 192, 254, 256};
        static constexpr double thetas[] = {1e4, 1e6, 5e6, 1e7, 0.5};
        static constexpr double scalings[] = {1.0, 1.0, 1.138629436111989, 0.75};
        rope_shape shape;
        shape.rotary_dim = limits_.rotary_dim != 0 ? limits_.rotary_dim : random_.one_of(dims);
        shape.axes = static_cast<int>(random_.between(1, max_axes));
        shape.groups = random_.chance(75) ? 1 : random_.between(2, 5);
        shape.paired = any_pairing(random_, shape.rotary_dim);
        shape.theta = random_.one_of(thetas);
        shape.attention_scaling = random_.one_of(scalings);
        shape.leaves_pairs_out = random_.chance(30);
        rotary_options ways;
        ways.angle = random_.chance(70) ? phase::exact : phase::float32;
        ways.round = static_cast<rounding>(random_.between(0, 3));
        rope_ = make_rope(shape, ways);

        static constexpr index_t sizes[] = {1, 1, 2, 3, 5, 17, 63, 64, 65, 130};
        places_ = random_.one_of(sizes);
        static constexpr index_t extras[] = {0, 0, 0, 1, 2, 15, 16, 64};
        const index_t head_dim = shape.rotary_dim + random_.one_of(extras);
        q_heads_ = random_.chance(90) ? random_.between(1, 5) : 0;
        k_heads_ = random_.chance(75) || q_heads_ == 0 ? random_.between(1, 3) : 0;
        in_place_ = random_.chance(60);
        packed_ = in_place_ && random_.chance(40);
        if (packed_) {
            const index_t row = (q_heads_ + 2 * k_heads_) * head_dim;
            q_.view = {nullptr, places_, q_heads_, head_dim, row, head_dim};
            k_.view = {nullptr, places_, k_heads_, head_dim, row, head_dim};
            q_.data = random_buffer<T>(places_ * row, random_, limits_.kind);
            k_.first = q_heads_ * head_dim;
        } else {
            q_ = draw_tensor(places_, q_heads_, head_dim);
            k_ = draw_tensor(places_, k_heads_, head_dim);
            q_out_ = draw_tensor(places_, q_heads_, head_dim);
            k_out_ = draw_tensor(places_, k_heads_, head_dim);
        }
        tokens_ = places_;
        if (random_.chance(25)) {  // a paged cache: tokens in any order, some skipped
            for (index_t s = 0; s < places_; ++s) slots_.push_back(s);
            for (index_t s = places_ - 1; s > 0; --s)
                std::swap(slots_[static_cast<std::size_t>(s)], slots_[static_cast<std::size_t>(random_.between(0, s))]);
            for (index_t& s : slots_)
                if (random_.chance(20)) s = -1;
            slots_.resize(static_cast<std::size_t>(random_.between(1, places_)));
            tokens_ = static_cast<index_t>(slots_.size());
        }
        begin_ = random_.chance(70) ? 0 : random_.between(0, tokens_);
        end_ = random_.chance(70) ? tokens_ : random_.between(begin_, tokens_);
        way_ = static_cast<direction>(random_.between(0, 2));
        q_shard_ = draw_shard(q_heads_);
        k_shard_ = draw_shard(k_heads_);

        position_type_ = static_cast<int>(random_.between(0, 3));
        token_major_ = random_.chance(50);
        positions_ = {rope_.axes(), tokens_, std::vector<double>(static_cast<std::size_t>(rope_.axes() * tokens_))};
        for (double& p : positions_.at) {
            const auto whole = random_.between(-2147483648, 2147483647) >> random_.between(0, 31);
            p = static_cast<double>(whole);
            if (position_type_ >= 2 && random_.chance(60))
                p = std::ldexp(static_cast<double>(whole), static_cast<int>(random_.between(-40, -1)));
            if (position_type_ == 2) p = static_cast<double>(static_cast<float>(p));
            if (p >= 2147483648.0) p = 2147483520.0;
        }
    }

    cpu::head_shard draw_shard(index_t heads) {
        if (random_.chance(60)) return {};
        const index_t first = random_.between(0, 6);
        return {first, first + heads + random_.between(0, 6)};
    }

    template <class P>
    void check_with() {
        std::vector<P> typed;
        for (index_t i = 0; i < positions_.axes * tokens_; ++i) {
            const index_t a = token_major_ ? i % positions_.axes : i / tokens_,
                          n = token_major_ ? i / positions_.axes : i % tokens_;
            typed.push_back(static_cast<P>(positions_(a, n)));
        }
        const positions_view<const P> view = token_major_ ? token_major<const P>(typed.data(), positions_.axes, tokens_)
                                                          : axis_major<const P>(typed.data(), positions_.axes, tokens_);
        // What the oracle leaves.
        std::vector<T> q = q_.data, k = k_.data, q_to = q_out_.data, k_to = k_out_.data;
        const cpu::slot_list slots{slots_.empty() ? nullptr : slots_.data(), static_cast<index_t>(slots_.size())};
        std::vector<T>& k_home = packed_ ? q : k;
        if (in_place_) {
            turn_by_positions<T>(rope_, positions_, in(q, q_).as_const(), in(q, q_), begin_, end_, slots, q_shard_,
                                 way_);
            turn_by_positions<T>(rope_, positions_, in(k_home, k_).as_const(), in(k_home, k_), begin_, end_, slots,
                                 k_shard_, way_);
        } else {
            turn_by_positions<T>(rope_, positions_, in(q, q_).as_const(), in(q_to, q_out_), begin_, end_, slots,
                                 q_shard_, way_);
            turn_by_positions<T>(rope_, positions_, in(k, k_).as_const(), in(k_to, k_out_), begin_, end_, slots,
                                 k_shard_, way_);
        }
        std::vector<cpu::level> levels = levels_here();
        levels.push_back(cpu::level::automatic);
        for (const cpu::level use : levels) {
            std::vector<T> q_got = q_.data, k_got = k_.data, q_to_got = q_out_.data, k_to_got = k_out_.data;
            std::vector<T>& k_got_home = packed_ ? q_got : k_got;
            cpu::rotate_options options;
            options.tokens = {token_index{begin_}, token_index{end_}};
            options.way = way_;
            options.slots = slots;
            options.q_shard = q_shard_;
            options.k_shard = k_shard_;
            const int workers = random_.chance(40) ? static_cast<int>(random_.between(2, 9)) : 1;
            for (int worker = workers - 1; worker >= 0; --worker) {
                options.part = {worker, workers};
                // Workers may be of different levels.
                options.use =
                    workers > 1 && random_.chance(30) ? random_.one_of({cpu::level::base, cpu::level::automatic}) : use;
                const status s = in_place_
                                     ? cpu::rotate(rope_, view, in(q_got, q_), in(k_got_home, k_), options)
                                     : cpu::rotate_to(rope_, view, in(q_got, q_).as_const(), in(k_got, k_).as_const(),
                                                      in(q_to_got, q_out_), in(k_to_got, k_out_), options);
                if (!s.ok()) FAIL(to_string(s).c_str());
            }
            INFO(description() << " level " << cpu::name_of(use));
            REQUIRE(first_difference(q, q_got) == -1);
            REQUIRE(first_difference(k, k_got) == -1);
            REQUIRE(first_difference(q_to, q_to_got) == -1);
            REQUIRE(first_difference(k_to, k_to_got) == -1);
            turned_ += (end_ - begin_) * (q_heads_ + k_heads_) * rope_.rotary_dim();
        }
    }

    [[nodiscard]] std::string description() const {
        return "rotary_dim " + std::to_string(rope_.rotary_dim()) + " head_dim " + std::to_string(q_.view.head_dim) +
               " places " + std::to_string(places_) + " tokens " + std::to_string(begin_) + "-" + std::to_string(end_) +
               " of " + std::to_string(tokens_) + " heads " + std::to_string(q_heads_) + "/" +
               std::to_string(k_heads_) + " groups " + std::to_string(rope_.frequencies().groups()) + " pairing " +
               std::to_string(rope_.paired().block(rope_.rotary_dim())) + " rounding " +
               std::to_string(static_cast<int>(rope_.round())) + " phase " +
               std::to_string(static_cast<int>(rope_.angle())) + " way " + std::to_string(static_cast<int>(way_)) +
               " positions " + std::to_string(position_type_) + (in_place_ ? " in place" : "") +
               (packed_ ? " packed" : "") + (slots_.empty() ? "" : " slots");
    }

    random_bits random_;
    case_limits limits_;
    rotary rope_;
    tensor q_, k_, q_out_, k_out_;
    index_t places_ = 0, tokens_ = 0, q_heads_ = 0, k_heads_ = 0, begin_ = 0, end_ = 0;
    std::vector<index_t> slots_;
    cpu::head_shard q_shard_, k_shard_;
    direction way_ = direction::forward;
    int position_type_ = 0;
    bool token_major_ = false, in_place_ = false, packed_ = false;
    positions_table positions_;
    std::int64_t turned_ = 0;
};

}  // namespace polyrope::test
