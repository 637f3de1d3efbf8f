#pragma once
// How many tokens an audio of F mel frames takes up in a prompt, after the convolutions and the pooling of its encoder.
// A mel frame is 10 ms. Tested against the audio_seqlens of the cases of huggingface/transformers v4.57.6 and v5.15.0.
//
//     F               1   2   3   4  20  99 100 101 120 199 200 1000
//     qwen2_5_omni    0   0   1   1   5  25  25  25  30  50  50  250     25 a second
//     qwen3_omni      1   1   1   1   3  13  13  14  16  26  26  130     13 in every 100 frames, the rest halved thrice

#include "polyrope/core/result.hpp"

POLYROPE_BEGIN

/// Tokens of an audio, or why it has none.
using audio_token_rule = result<index_t> (*)(index_t mel_frames);

/// Halved by a convolution, then pooled by twos.
[[nodiscard]] inline result<index_t> qwen2_5_omni_audio_tokens(index_t mel_frames) noexcept {
    if (mel_frames < 0) return status{errc::negative_count, operand::audio, 0, 0, mel_frames};
    const index_t halved = mel_frames / 2 + mel_frames % 2;
    return halved / 2;
}

/// The encoder reads 100 frames (twice its window of 50) at a time, which three convolutions halve, rounded up.
[[nodiscard]] inline result<index_t> qwen3_omni_audio_tokens(index_t mel_frames) noexcept {
    if (mel_frames < 0) return status{errc::negative_count, operand::audio, 0, 0, mel_frames};
    index_t rest = mel_frames % 100;
    for (int convolution = 0; convolution < 3; ++convolution) rest = (rest + 1) / 2;
    return mel_frames / 100 * 13 + rest;
}

POLYROPE_END
