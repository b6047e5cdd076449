#include "plumb/catalogue/terms.h"

namespace plumb {
namespace {

using Words = std::span<const std::string_view>;

constexpr std::string_view kForms[] = {"encoder_decoder", "decoder", "encoder"};
constexpr std::string_view kStacks[] = {"encoder", "decoder"};
constexpr std::string_view kSublayers[] = {"self_attn", "encoder_attn", "ffn"};
constexpr std::string_view kNormKinds[] = {"layer", "rms", "scale", "dyt"};
constexpr std::string_view kQkNorms[] = {"none", "head", "full", "l2"};
constexpr std::string_view kActivations[] = {"relu", "gelu"};
constexpr std::string_view kPositions[] = {"fairseq", "marian", "learned", "none"};
constexpr std::string_view kEmbeddingGains[] = {"none", "scalar", "vector"};
constexpr std::string_view kB2tRescales[] = {"none", "depth"};
constexpr std::string_view kTasks[] = {"translation", "summarisation",  "language_model",
                                       "masked_lm",   "classification", "speech"};
constexpr std::string_view kCorpora[] = {"numbers", "text", "headline", "morse"};
constexpr std::string_view kSubwords[] = {"bpe", "unigram", "subword_nmt", "word", "character"};
constexpr std::string_view kBreakModes[] = {"none", "complete", "eos"};
constexpr std::string_view kFeatureNorms[] = {"utterance", "global", "none"};
constexpr std::string_view kInputs[] = {"tokens", "frames"};
constexpr std::string_view kHeads[] = {"words", "masked_words", "classes"};
constexpr std::string_view kSmoothingOver[] = {"all", "others"};
constexpr std::string_view kPaths[] = {"reference", "fused"};
constexpr std::string_view kRegimes[] = {"A", "B", "C", "D", "T", "G", "X"};
constexpr std::string_view kRoles[] = {"embedding",
                                       "position",
                                       "output_projection",
                                       "query",
                                       "key",
                                       "value",
                                       "attention_output",
                                       "fc1",
                                       "fc2",
                                       "query_bias",
                                       "key_bias",
                                       "value_bias",
                                       "attention_output_bias",
                                       "fc1_bias",
                                       "fc2_bias"};

constexpr Sublayer kOrder[] = {Sublayer::SelfAttention, Sublayer::CrossAttention, Sublayer::FeedForward};
constexpr Sublayer kOrderWithoutCross[] = {Sublayer::SelfAttention, Sublayer::FeedForward};

}  // namespace

// clang-format off
template <> Words words<Form>() { return kForms; }
template <> Words words<Stack>() { return kStacks; }
template <> Words words<Sublayer>() { return kSublayers; }
template <> Words words<NormKind>() { return kNormKinds; }
template <> Words words<QkNorm>() { return kQkNorms; }
template <> Words words<Activation>() { return kActivations; }
template <> Words words<Positions>() { return kPositions; }
template <> Words words<EmbeddingGain>() { return kEmbeddingGains; }
template <> Words words<B2tRescale>() { return kB2tRescales; }
template <> Words words<TaskKind>() { return kTasks; }
template <> Words words<Corpus>() { return kCorpora; }
template <> Words words<Subwords>() { return kSubwords; }
template <> Words words<BreakMode>() { return kBreakModes; }
template <> Words words<FeatureNorm>() { return kFeatureNorms; }
template <> Words words<InputKind>() { return kInputs; }
template <> Words words<HeadKind>() { return kHeads; }
template <> Words words<SmoothingOver>() { return kSmoothingOver; }
template <> Words words<Path>() { return kPaths; }
template <> Words words<Regime>() { return kRegimes; }
template <> Words words<Role>() { return kRoles; }
// clang-format on

std::span<const Sublayer> Shape::order(Stack stack) const {
  if (cross_attention(stack)) return kOrder;
  return kOrderWithoutCross;
}

}  // namespace plumb
