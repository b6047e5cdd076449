#include "plumb/catalogue/terms.h"

namespace plumb {
namespace {

using WordList = std::span<const std::string_view>;

constexpr std::string_view kForms[] = {"encoder_decoder", "decoder", "encoder"};
constexpr std::string_view kStacks[] = {"encoder", "decoder"};
constexpr std::string_view kSublayers[] = {"self_attn", "encoder_attn", "ffn"};
constexpr std::string_view kQkNorms[] = {"none", "head", "full", "l2"};
constexpr std::string_view kActivations[] = {"relu", "gelu"};
constexpr std::string_view kPositions[] = {"fairseq", "marian", "learned", "none"};
constexpr std::string_view kEmbeddingGains[] = {"none", "scalar", "vector"};
constexpr std::string_view kB2tRescales[] = {"none", "depth"};
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

constexpr Stack kBothStacks[] = {Stack::Encoder, Stack::Decoder};
constexpr Sublayer kOrder[] = {Sublayer::SelfAttention, Sublayer::CrossAttention, Sublayer::FeedForward};
constexpr Sublayer kOrderWithoutCross[] = {Sublayer::SelfAttention, Sublayer::FeedForward};

}  // namespace

// clang-format off
template <> WordList words<Form>() { return kForms; }
template <> WordList words<Stack>() { return kStacks; }
template <> WordList words<Sublayer>() { return kSublayers; }
template <> WordList words<QkNorm>() { return kQkNorms; }
template <> WordList words<Activation>() { return kActivations; }
template <> WordList words<Positions>() { return kPositions; }
template <> WordList words<EmbeddingGain>() { return kEmbeddingGains; }
template <> WordList words<B2tRescale>() { return kB2tRescales; }
template <> WordList words<Corpus>() { return kCorpora; }
template <> WordList words<Subwords>() { return kSubwords; }
template <> WordList words<BreakMode>() { return kBreakModes; }
template <> WordList words<FeatureNorm>() { return kFeatureNorms; }
template <> WordList words<InputKind>() { return kInputs; }
template <> WordList words<HeadKind>() { return kHeads; }
template <> WordList words<SmoothingOver>() { return kSmoothingOver; }
template <> WordList words<Path>() { return kPaths; }
template <> WordList words<Regime>() { return kRegimes; }
template <> WordList words<Role>() { return kRoles; }
// clang-format on

std::span<const Stack> Shape::stacks() const {
  const std::span<const Stack> both = kBothStacks;
  if (form == Form::EncoderDecoder) return both;
  return form == Form::Encoder ? both.first(1) : both.last(1);
}

std::span<const Sublayer> Shape::order(Stack stack) const {
  if (cross_attention(stack)) return kOrder;
  return kOrderWithoutCross;
}

}  // namespace plumb
