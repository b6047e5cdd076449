#include <stdexcept>

#include "oracle/oracle.h"

namespace oracle {
namespace {

struct Entry {
  Bug bug;
  const char* name;
  const char* description;
};

constexpr Entry kBugs[] = {
    {Bug::SkipAfterNorm, "skip_after_norm",
     "The skip of a Pre-LN sub-layer is taken after its norm instead of before."},
    {Bug::MissingFinalNorm, "missing_final_norm", "The stacks have no final norm."},
    {Bug::MemoryFromFirstLayer, "memory_from_first_layer",
     "Cross-attention reads the output of the first encoder layer."},
    {Bug::MemoryBeforeFinalNorm, "memory_before_final_norm",
     "Cross-attention reads the encoder stream before its final norm."},
    {Bug::MemoryNormalisedTwice, "memory_normalised_twice",
     "Cross-attention normalises the memory once more with the sub-layer's own norm."},
    {Bug::CrossAttentionQueryNotNormalised, "cross_attention_query_not_normalised",
     "The query of a Pre-LN cross-attention is the stream without its norm."},
    {Bug::CrossAttentionCausal, "cross_attention_causal", "Target position t sees only the source positions up to t."},
    {Bug::EpsilonOutsideRoot, "epsilon_outside_root",
     "The epsilon of LayerNorm and RMSNorm is added to the root instead of under it."},
    {Bug::UnbiasedVariance, "unbiased_variance", "LayerNorm divides the sum of squares by n - 1."},
    {Bug::RmsNormSubtractsMean, "rms_norm_subtracts_mean", "RMSNorm subtracts the mean as LayerNorm does."},
    {Bug::ScaleNormByRms, "scale_norm_by_rms", "ScaleNorm divides by the root mean square instead of the length."},
    {Bug::DytAlphaOutsideTanh, "dyt_alpha_outside_tanh", "DyT multiplies the tanh by alpha instead of its argument."},
    {Bug::HeadScaleByWidth, "head_scale_by_width",
     "The attention logits are divided by the root of the width instead of the head width."},
    {Bug::HeadsInterleaved, "heads_interleaved", "A head takes every H-th feature instead of a contiguous block."},
    {Bug::CausalMaskOffByOne, "causal_mask_off_by_one", "Causal self-attention sees one future position."},
    {Bug::QkNormFullPerHead, "qk_norm_full_per_head",
     "The full-width norm of queries and keys takes its mean square per head."},
    {Bug::QkNormL2AlsoDivided, "qk_norm_l2_also_divided",
     "The logits of L2-normalised queries and keys are still divided by the root of the head width."},
    {Bug::GeluTanh, "gelu_tanh", "GELU is the tanh approximation."},
    {Bug::FfnBiasMissing, "ffn_bias_missing", "The feed-forward branch leaves out its biases."},
    {Bug::FfnNormBeforeActivation, "ffn_norm_before_activation",
     "The inner feed-forward norm is before the activation instead of after it."},
    {Bug::SinusoidInterleaved, "sinusoid_interleaved", "Sines and cosines alternate instead of filling one half each."},
    {Bug::SinusoidDenominator, "sinusoid_denominator",
     "The sinusoid uses the other convention's denominator, half instead of half - 1 or the reverse."},
    {Bug::PositionOffByOne, "position_off_by_one", "Positions start one too early."},
    {Bug::EmbeddingScaleMissing, "embedding_scale_missing",
     "The embedding is not multiplied by the root of the width."},
    {Bug::EmbeddingGainMissesPositions, "embedding_gain_misses_positions",
     "The embedding gain multiplies the tokens but not the positions."},
    {Bug::B2tPreviousLayerInput, "b2t_previous_layer_input",
     "The bottom-to-top connection starts at the input of the layer below."},
    {Bug::B2tSublayerInput, "b2t_sublayer_input",
     "The bottom-to-top connection starts at the input of the last sub-layer."},
    {Bug::B2tAfterLastNorm, "b2t_after_last_norm",
     "The bottom-to-top connection is added after the last norm of the layer."},
    {Bug::B2tNoLnSwapped, "b2t_no_ln_swapped", "B2T without LN swaps alpha and beta."},
    {Bug::B2tNoLnOtherStackDepth, "b2t_no_ln_other_stack_depth",
     "B2T without LN takes alpha from the depth of the other stack."},
    {Bug::RezeroNextLayerScale, "rezero_next_layer_scale",
     "The feed-forward branch uses the ReZero scalar of the next layer."},
    {Bug::RezeroFfnScaleSquared, "rezero_ffn_scale_squared",
     "The feed-forward branch uses the square of the ReZero scalar."},
    {Bug::DlclSoftmaxWeights, "dlcl_softmax_weights", "The DLCL rows are normalised by a softmax."},
    {Bug::DlclNormalisesEmbedding, "dlcl_normalises_embedding", "DLCL normalises the embedding too."},
    {Bug::DeepnormAlphaOnBranch, "deepnorm_alpha_on_branch",
     "DeepNorm's alpha multiplies the branch instead of the skip."},
    {Bug::DeepnormDecoderUsesEncoderAlpha, "deepnorm_decoder_uses_encoder_alpha",
     "DeepNorm's decoder uses the alpha of the encoder."},
    {Bug::AdminOmegaOnBranch, "admin_omega_on_branch", "Admin's omega multiplies the branch instead of the skip."},
    {Bug::AdminOmegaOfNextSublayer, "admin_omega_of_next_sublayer",
     "Each sub-layer uses the omega of the next sub-layer of its layer."},
    {Bug::AdminFoldCrossAttentionV, "admin_fold_cross_attention_v",
     "The paper's wrong folding: the value input of Admin's cross-attention is divided by omega."},
    {Bug::ResidualDualWithoutEmbedding, "residual_dual_without_embedding",
     "ResiDual's second stream starts at zero instead of the embedding."},
    {Bug::ResidualDualWithoutX, "residual_dual_without_x", "ResiDual ends with the norm of the second stream alone."},
    {Bug::ResidualDualEpsilon, "residual_dual_epsilon", "ResiDual's last norm uses epsilon 1e-5 instead of 1e-7."},
    {Bug::NormformerHeadScaleAfterOutProj, "normformer_head_scale_after_out_proj",
     "NormFormer scales blocks of the attention output instead of the heads before out_proj."},
    {Bug::NormformerResidualScaleMissing, "normformer_residual_scale_missing",
     "NormFormer's residual scale is left out."},
    {Bug::SubLnInnerNormInCrossAttention, "sub_ln_inner_norm_in_cross_attention",
     "Sub-LN also normalises the joined heads of cross-attention (with the self-attention's norm)."},
    {Bug::SubLnInnerNormMissing, "sub_ln_inner_norm_missing",
     "Sub-LN does not normalise the joined heads of self-attention."},
    {Bug::HybridNormSkipBeforeNorm, "hybrid_norm_skip_before_norm",
     "The feed-forward skip of HybridNorm is taken before the norm."},
    {Bug::HybridNormValueNormMissing, "hybrid_norm_value_norm_missing", "HybridNorm does not normalise the values."},
    {Bug::HybridNormStarFirstLayerPlain, "hybrid_norm_star_first_layer_plain",
     "The first layer of HybridNorm* is like the others."},
    {Bug::LnScalingBySublayer, "ln_scaling_by_sublayer", "LayerNorm scaling counts sub-layers instead of layers."},
    {Bug::LayerScaleOnSkip, "layer_scale_on_skip", "LayerScale multiplies the skip instead of the branch."},
    {Bug::MixLnFloor, "mix_ln_floor", "Mix-LN rounds the number of Post-LN layers down instead of up."},
    {Bug::SandwichOutputNormAfterAdd, "sandwich_output_norm_after_add",
     "The output norm of the sandwich is applied after the sum."},
    {Bug::FixupShiftAdded, "fixup_shift_added", "FixUp adds its shifts instead of subtracting them."},
};

const Entry& entry(Bug bug) {
  for (const Entry& candidate : kBugs) {
    if (candidate.bug == bug) return candidate;
  }
  throw std::logic_error("oracle: a bug without an entry");
}

}  // namespace

std::vector<Bug> all_bugs() {
  std::vector<Bug> bugs;
  for (const Entry& candidate : kBugs) bugs.push_back(candidate.bug);
  return bugs;
}

std::string name(Bug bug) {
  return bug == Bug::None ? "none" : entry(bug).name;
}

std::string description(Bug bug) {
  return bug == Bug::None ? "No mistake." : entry(bug).description;
}

}  // namespace oracle
