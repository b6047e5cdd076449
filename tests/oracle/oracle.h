// An independent reference for the forward pass of every residual and norm variant: one sentence, plain loops, double
// precision, standard library only. It is written from the equations and shares no code with the library it checks.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace oracle {

using Weights = std::map<std::string, std::vector<double>>;  // row-major, names of docs/parameters.md
using Row = std::vector<double>;
using Matrix = std::vector<Row>;  // [positions][features]

struct Config {
  std::string form;  // encoder_decoder | decoder | encoder
  std::string encoder_variant, decoder_variant;
  int width = 0, heads = 0, ffn_width = 0, encoder_layers = 0, decoder_layers = 0;
  std::string norm = "default";       // default (the variant's own) | layer | rms | scale | dyt, for both stacks
  std::string qk_norm = "default";    // default (the variant's own) | none | head | full | l2
  std::string activation = "gelu";    // relu | gelu (exact erf form)
  std::string positions = "fairseq";  // fairseq | marian | learned | none
  bool scale_embedding = true;        // sqrt(width)
  bool layernorm_embedding = false;
  std::string embedding_gain = "none";  // none | scalar | vector: multiplies (sqrt(d) E + PE)
  std::string final_norm = "default";   // default | on | off
  // In the single-stack forms either one ties the output to that stack's embedding.
  bool share_all_embeddings = false, share_decoder_input_output_embed = false;
  bool output_projection = true;  // false: initialisation regime T, the attention ends with the joined heads
  double mix_ln_fraction = 0.25;
  double residual_dual_scale = 1.0;
  bool normformer_scale_resids = false;
};

// Planted mistakes; description() tells what each one does. A test of the library that no bug can break is no test.
enum class Bug {
  None,
  SkipAfterNorm,
  MissingFinalNorm,
  MemoryFromFirstLayer,
  MemoryBeforeFinalNorm,
  MemoryNormalisedTwice,
  CrossAttentionQueryNotNormalised,
  CrossAttentionCausal,
  EpsilonOutsideRoot,
  UnbiasedVariance,
  RmsNormSubtractsMean,
  ScaleNormByRms,
  DytAlphaOutsideTanh,
  HeadScaleByWidth,
  HeadsInterleaved,
  CausalMaskOffByOne,
  QkNormFullPerHead,
  QkNormL2AlsoDivided,
  GeluTanh,
  FfnBiasMissing,
  FfnNormBeforeActivation,
  SinusoidInterleaved,
  SinusoidDenominator,
  PositionOffByOne,
  EmbeddingScaleMissing,
  EmbeddingGainMissesPositions,
  B2tPreviousLayerInput,
  B2tSublayerInput,
  B2tAfterLastNorm,
  B2tNoLnSwapped,
  B2tNoLnOtherStackDepth,
  RezeroNextLayerScale,
  RezeroFfnScaleSquared,
  DlclSoftmaxWeights,
  DlclNormalisesEmbedding,
  DeepnormAlphaOnBranch,
  DeepnormDecoderUsesEncoderAlpha,
  AdminOmegaOnBranch,
  AdminOmegaOfNextSublayer,
  AdminFoldCrossAttentionV,
  ResidualDualWithoutEmbedding,
  ResidualDualWithoutX,
  ResidualDualEpsilon,
  NormformerHeadScaleAfterOutProj,
  NormformerResidualScaleMissing,
  SubLnInnerNormInCrossAttention,
  SubLnInnerNormMissing,
  HybridNormSkipBeforeNorm,
  HybridNormValueNormMissing,
  HybridNormStarFirstLayerPlain,
  LnScalingBySublayer,
  LayerScaleOnSkip,
  MixLnFloor,
  SandwichOutputNormAfterAdd,
  FixupShiftAdded,
};

std::vector<Bug> all_bugs();  // without None
std::string name(Bug bug);    // snake_case
std::string description(Bug bug);

// Logits of one sentence, [target length][vocabulary]. `source` is empty for "decoder". For "encoder" the ids are in
// `source`, `target` is empty and there is one row per source position. The decoder is causal over `target`, which
// holds decoder inputs. Throws std::out_of_range for a missing tensor, std::invalid_argument for a wrong size, and,
// when there is no bug, std::runtime_error for tensors that were never read.
Matrix logits(const Config& config, const Weights& weights, const std::vector<int>& source,
              const std::vector<int>& target, Bug bug = Bug::None);

}  // namespace oracle
