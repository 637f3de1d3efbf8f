#pragma once
// Errors are values: one trivially copyable `status` everywhere, made without a string and turned into a sentence only
// when somebody reads it (core/sentence.hpp). Works with exceptions and RTTI off.

#include <cstdint>

#include "polyrope/core/index.hpp"

POLYROPE_BEGIN

/// What went wrong. The sentence of each code is in core/sentence.hpp.
enum class errc : std::uint8_t {
    ok,
    // prompts and plans
    token_count_mismatch,
    gap_count_mismatch,
    frame_count_mismatch,
    negative_count,
    side_not_positive,
    side_not_divisible,
    grid_missing,
    grid_left_over,
    run_without_marker,
    seconds_missing,
    seconds_invalid,
    position_overflow,
    size_overflow,
    modality_not_placed,
    no_neutral_point,
    coordinate_not_integral,
    range_invalid,
    bad_serialisation,
    shift_not_uniform,
    step_invalid,
    extra_not_read,
    // frequencies
    rotary_dim_odd,
    rotary_dim_too_large,
    section_mismatch,
    section_negative,
    axis_invalid,
    axis_count_invalid,
    axis_count_mismatch,
    frequency_invalid,
    theta_invalid,
    attention_scaling_invalid,
    capacity_exceeded,
    // rotation
    null_data,
    extent_mismatch,
    extent_negative,
    stride_invalid,
    overlap,
    position_out_of_range,
    table_row_out_of_range,
    partition_invalid,
    unsupported,
    // configurations
    key_missing,
    key_conflict,
    value_unknown,
    value_type,
    value_invalid,
    // attention
    keys_end_early,
    heads_not_divisible,
    // allocations and spectra
    heads_exceeded,
    pattern_cut,
    channels_disagree,
    parameter_invalid,
    parameter_too_large,
    entry_invalid,
    bounds_crossed,
    rotary_dim_too_small,
    tables_differ,
    choice_out_of_range,
    // prompts with audio
    audio_count_mismatch,
    audio_empty,
    audio_missing,
    audio_left_over,
    run_not_closed,
    token_order_mismatch,
    // measures
    nothing_to_measure,
    // devices
    device_failed,
    // grids
    ring_invalid,
    frames_not_placed,
    // pairings
    blocks_uneven,
    span_invalid,
    // attention
    extent_zero,
    factor_out_of_range,
    // device memory
    alignment_invalid,
    not_device_memory,
};

/// What the error speaks of.
enum class operand : std::uint8_t {
    none,
    segment,
    image,
    video,
    token,
    plan,
    batch,
    request,
    q,
    k,
    q_out,
    k_out,
    positions,
    from_positions,
    to_positions,
    slots,
    table,
    cos,
    sin,
    output,
    frequency_table,
    section,
    pair,
    inv_freq,
    head_dim,
    rotary_dim,
    level,
    byte,
    // a model configuration and its keys
    document,
    rope_scaling,
    rope_type,
    rope_theta,
    mrope_section,
    mrope_interleaved,
    partial_rotary_factor,
    hidden_size,
    num_attention_heads,
    num_key_value_heads,
    num_hidden_layers,
    spatial_merge_size,
    tokens_per_second,
    vision_config,
    text_config,
    model_type,
    rope_parameters,
    vision_start_token_id,
    vision_end_token_id,
    image_token_id,
    video_token_id,
    layers,
    query_heads,
    key_value_heads,
    // parameters of spectra
    factor,
    alpha,
    log_freq_scale,
    original_length,
    correction_length,
    max_length,
    beta_fast,
    beta_slow,
    attention_factor,
    low_freq_factor,
    high_freq_factor,
    short_factor,
    long_factor,
    table_choice,
    projection,
    // attention
    v,
    visual_q,
    visual_k,
    attention,
    // audio, and what a configuration says of it
    audio,
    positions_per_chunk,
    position_id_per_seconds,
    seconds_per_chunk,
    audio_token_id,
    audio_start_token_id,
    audio_end_token_id,
    thinker_config,
    n_window,
    // vision towers
    window_size,
    // time and images of a configuration
    temporal_merge_size,
    xdrope_section,
    im_start_id,
    im_end_id,
    image_start_token_id,
    image_end_token_id,
    video_start_token_id,
    video_end_token_id,
    // factors of attention
    scale,
    soft_cap,
    // what stands around a rotation on a device
    cache,
    block_table,
    page_size,
    norm_weight,
    norm_epsilon,
    e4m3_scale,
};

/// Outcome of a call. `index` says which segment, token, pair or entry; `expected` and `found` are the numbers that
/// differ. A field that a code does not use is zero.
struct [[nodiscard]] status {
    errc code = errc::ok;
    operand what = operand::none;
    index_t index = 0;
    index_t expected = 0;
    index_t found = 0;

    [[nodiscard]] POLYROPE_HOST_DEVICE constexpr bool ok() const noexcept { return code == errc::ok; }
    friend POLYROPE_HOST_DEVICE constexpr bool operator==(const status& a, const status& b) noexcept {
        return a.code == b.code && a.what == b.what && a.index == b.index && a.expected == b.expected &&
               a.found == b.found;
    }
    friend POLYROPE_HOST_DEVICE constexpr bool operator!=(const status& a, const status& b) noexcept {
        return !(a == b);
    }
};

POLYROPE_END
