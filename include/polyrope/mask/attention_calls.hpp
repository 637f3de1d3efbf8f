#pragma once
// A coordinate selection as calls of an ordinary attention kernel. Rectangles in token order would be quadratic in the
// runs of text and images; three orders of the keys (mask/token_order.hpp) make it linear. For without_tv_spatial,
// causal:
//
//     a text run of queries   x  all keys up to it         neutral bank     causal
//     a visual run            x  the text keys before it   neutral bank     no mask
//     all visual queries      x  the visual keys           original bank    causal, one call
//
// Every visual query is answered twice, and the two answers are merged by their log-sum-exp
// (attention/merge_states.hpp). without_vv_spatial is the same with the banks exchanged; the other two selections are
// one ordinary call. An iterator: nothing is allocated.
//
//     auto calls = attention_calls::make(plan, selection::without_tv_spatial, {queries, keys});
//     for (attention_call c; calls->next(c);) engine_attention(...);

#include "polyrope/core/result.hpp"
#include "polyrope/mask/coordinate_selection.hpp"
#include "polyrope/mask/token_order.hpp"

POLYROPE_BEGIN

/// What queries see beside all earlier tokens.
enum class visibility : std::uint8_t {
    causal,       ///< nothing
    whole_image,  ///< a visual token sees every token of its own image: of the run of visual tokens of one segment
};

/// The queries of a call and the keys in the cache: ranges of one plan. Keys begin no later than queries and reach at
/// least to their end.
struct attention_region {
    token_range queries{};
    token_range keys{};
};

/// One call. Rows of q are [query_begin, query_end) of `query_order` over the region's queries, rows of k and v are
/// [key_begin, key_end) of `key_order` over its keys. Causal means aligned at the end: the last query sees all keys of
/// the call, the one before it one fewer.
struct attention_call {
    token_order query_order = token_order::all, key_order = token_order::all;
    index_t query_begin = 0, query_end = 0;
    index_t key_begin = 0, key_end = 0;
    position_source bank = position_source::coordinates;
    bool causal = false;
};

/// Walks the calls of a region. Over all calls every visible pair comes once, at the bank that the selection says.
/// Causal regions take at most one call per run of queries and one more, whole_image regions at most two per run.
class attention_calls {
public:
    attention_calls() = default;

    [[nodiscard]] static result<attention_calls> make(const position_plan& plan, coordinate_selection which,
                                                      attention_region region,
                                                      visibility sees = visibility::causal) noexcept {
        const index_t q_begin = region.queries.begin.value, q_end = region.queries.end.value;
        const index_t k_begin = region.keys.begin.value, k_end = region.keys.end.value;
        if (q_begin < 0 || q_end < q_begin) return status{errc::range_invalid, operand::q, 0, q_begin, q_end};
        if (k_begin < 0 || k_end < k_begin || (q_begin < q_end && k_begin > q_begin))
            return status{errc::range_invalid, operand::k, 0, k_begin, k_end};
        if (k_end < q_end) return status{errc::keys_end_early, operand::k, 0, q_end, k_end};
        const bool needs_neutral = which.tv == position_source::neutral || which.vv == position_source::neutral;
        if (needs_neutral && !plan.has_neutral())
            return status{errc::no_neutral_point, operand::segment, detail::plan_access::data(plan).without_neutral, 0,
                          0};
        attention_calls calls;
        calls.plan_ = &plan;
        calls.which_ = which;
        calls.region_ = region;
        calls.sees_ = sees;
        calls.begin();
        return calls;
    }

    /// The next call; false behind the last.
    [[nodiscard]] bool next(attention_call& call) noexcept {
        if (has_second_) {
            call = second_;
            has_second_ = false;
            return true;
        }
        if (one_call_) {
            one_call_ = false;
            done_ = true;
            call = whole();
            return true;
        }
        for (kind_run run; !done_ && runs_.next(run);) {
            const bool found = run.kind == modality::text ? text_run(run, call) : visual_run(run, call);
            if (found) return true;
        }
        if (done_ || visual_queries_ == 0 || sees_ == visibility::whole_image) return false;
        done_ = true;
        call = {token_order::visual, token_order::visual, 0, visual_queries_, 0, visual_keys_, which_.vv, true};
        return true;
    }

private:
    void begin() noexcept {
        done_ = region_.queries.size() == 0;
        if (done_) return;
        one_call_ = !which_.is_mixed() && sees_ == visibility::causal;
        if (one_call_) return;
        visual_keys_ = visual_tokens(*plan_, {region_.keys.begin, region_.queries.begin});
        text_keys_ = region_.queries.begin.value - region_.keys.begin.value - visual_keys_;
        runs_ =
            kind_runs(*plan_, region_.queries, sees_ == visibility::causal ? run_border::kind : run_border::segment);
    }

    /// Queries of a run, as rows of the region.
    [[nodiscard]] attention_call rows_of(const kind_run& run) const noexcept {
        attention_call call;
        call.query_begin = run.tokens.begin.value - region_.queries.begin.value;
        call.query_end = run.tokens.end.value - region_.queries.begin.value;
        return call;
    }
    [[nodiscard]] attention_call whole() const noexcept {
        attention_call call = rows_of({region_.queries, modality::text});
        call.key_end = region_.queries.end.value - region_.keys.begin.value;
        call.bank = which_.tv;
        call.causal = true;
        return call;
    }

    bool text_run(const kind_run& run, attention_call& call) noexcept {
        call = rows_of(run);
        call.key_end = run.tokens.end.value - region_.keys.begin.value;
        call.bank = which_.tv;
        call.causal = true;
        text_keys_ += run.tokens.size();
        return true;
    }

    bool visual_run(const kind_run& run, attention_call& call) noexcept {
        const index_t queries = run.tokens.size(), seen = visible_visual(run);
        call = rows_of(run);
        call.key_order = token_order::text;
        call.key_end = text_keys_;
        call.bank = which_.tv;
        second_ = {token_order::visual,
                   token_order::visual,
                   visual_queries_,
                   visual_queries_ + queries,
                   0,
                   visual_keys_ + seen,
                   which_.vv,
                   false};
        visual_queries_ += queries;
        visual_keys_ += queries;
        if (sees_ == visibility::causal) return text_keys_ > 0;  // the visual keys wait for the last call
        if (!which_.is_mixed()) {
            call.key_order = token_order::all;
            call.key_end = text_keys_ + second_.key_end;
            return true;
        }
        has_second_ = text_keys_ > 0;
        if (text_keys_ == 0) call = second_;
        return true;
    }

    /// Visual keys from the start of the run to the end of its image, as far as there are keys.
    [[nodiscard]] index_t visible_visual(const kind_run& run) const noexcept {
        if (sees_ == visibility::causal || run.tokens.end != region_.queries.end) return run.tokens.size();
        kind_runs image(*plan_, {run.tokens.begin, region_.keys.end}, run_border::segment);
        kind_run all;
        return image.next(all) ? all.tokens.size() : 0;
    }

    const position_plan* plan_ = nullptr;
    coordinate_selection which_{};
    attention_region region_{};
    visibility sees_ = visibility::causal;
    kind_runs runs_{};
    attention_call second_{};
    index_t text_keys_ = 0, visual_keys_ = 0, visual_queries_ = 0;
    bool has_second_ = false, one_call_ = false, done_ = true;
};

POLYROPE_END
