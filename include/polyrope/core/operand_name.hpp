#pragma once
// What a sentence calls the thing that a status speaks of: the name of an argument or of a configuration's key.

#include "polyrope/core/status.hpp"

POLYROPE_BEGIN
namespace detail {

[[nodiscard]] constexpr const char* name_of(operand what) noexcept {
    switch (what) {
        case operand::none: return "call";
        case operand::segment: return "segment";
        case operand::image: return "image";
        case operand::video: return "video";
        case operand::token: return "token";
        case operand::plan: return "plan";
        case operand::batch: return "batch";
        case operand::request: return "request";
        case operand::q: return "q";
        case operand::k: return "k";
        case operand::q_out: return "q_out";
        case operand::k_out: return "k_out";
        case operand::v: return "v";
        case operand::visual_q: return "visual_q";
        case operand::visual_k: return "visual_k";
        case operand::attention: return "attention";
        case operand::positions: return "positions";
        case operand::from_positions: return "from_positions";
        case operand::to_positions: return "to_positions";
        case operand::slots: return "slots";
        case operand::table: return "cos/sin table";
        case operand::cos: return "cos";
        case operand::sin: return "sin";
        case operand::output: return "output";
        case operand::frequency_table: return "frequency table";
        case operand::section: return "section";
        case operand::pair: return "pair";
        case operand::inv_freq: return "inv_freq";
        case operand::head_dim: return "head_dim";
        case operand::rotary_dim: return "rotary_dim";
        case operand::level: return "instruction-set level";
        case operand::byte: return "byte";
        case operand::document: return "the document";
        case operand::rope_scaling: return "rope_scaling";
        case operand::rope_type: return "rope_type";
        case operand::rope_theta: return "rope_theta";
        case operand::mrope_section: return "mrope_section";
        case operand::mrope_interleaved: return "mrope_interleaved";
        case operand::partial_rotary_factor: return "partial_rotary_factor";
        case operand::hidden_size: return "hidden_size";
        case operand::num_attention_heads: return "num_attention_heads";
        case operand::num_key_value_heads: return "num_key_value_heads";
        case operand::num_hidden_layers: return "num_hidden_layers";
        case operand::spatial_merge_size: return "spatial_merge_size";
        case operand::tokens_per_second: return "tokens_per_second";
        case operand::vision_config: return "vision_config";
        case operand::text_config: return "text_config";
        case operand::model_type: return "model_type";
        case operand::rope_parameters: return "rope_parameters";
        case operand::vision_start_token_id: return "vision_start_token_id";
        case operand::vision_end_token_id: return "vision_end_token_id";
        case operand::image_token_id: return "image_token_id";
        case operand::video_token_id: return "video_token_id";
        case operand::layers: return "layers";
        case operand::query_heads: return "query_heads";
        case operand::key_value_heads: return "key_value_heads";
        case operand::factor: return "factor";
        case operand::alpha: return "alpha";
        case operand::log_freq_scale: return "log_freq_scale";
        case operand::original_length: return "original_max_position_embeddings";
        case operand::correction_length: return "the correction length";
        case operand::max_length: return "max_position_embeddings";
        case operand::beta_fast: return "beta_fast";
        case operand::beta_slow: return "beta_slow";
        case operand::attention_factor: return "attention_factor";
        case operand::low_freq_factor: return "low_freq_factor";
        case operand::high_freq_factor: return "high_freq_factor";
        case operand::short_factor: return "short_factor";
        case operand::long_factor: return "long_factor";
        case operand::table_choice: return "table choice";
        case operand::projection: return "projection";
        case operand::audio: return "audio";
        case operand::positions_per_chunk: return "positions_per_chunk";
        case operand::position_id_per_seconds: return "position_id_per_seconds";
        case operand::seconds_per_chunk: return "seconds_per_chunk";
        case operand::audio_token_id: return "audio_token_id";
        case operand::audio_start_token_id: return "audio_start_token_id";
        case operand::audio_end_token_id: return "audio_end_token_id";
        case operand::thinker_config: return "thinker_config";
        case operand::n_window: return "n_window";
        case operand::window_size: return "window_size";
        case operand::temporal_merge_size: return "temporal_merge_size";
        case operand::xdrope_section: return "xdrope_section";
        case operand::im_start_id: return "im_start_id";
        case operand::im_end_id: return "im_end_id";
        case operand::image_start_token_id: return "image_start_token_id";
        case operand::image_end_token_id: return "image_end_token_id";
        case operand::video_start_token_id: return "video_start_token_id";
        case operand::video_end_token_id: return "video_end_token_id";
        case operand::scale: return "scale of attention scores";
        case operand::soft_cap: return "soft cap of attention scores";
        case operand::cache: return "cache";
        case operand::block_table: return "block table";
        case operand::page_size: return "page size";
        case operand::norm_weight: return "norm weight";
        case operand::norm_epsilon: return "norm epsilon";
        case operand::e4m3_scale: return "e4m3 scale";
    }
    return "unknown";
}

}  // namespace detail
POLYROPE_END
