// The place of every parameter of every row and form, against what its name says by plain rules.

#include <algorithm>
#include <optional>
#include <regex>

#include <ATen/ATen.h>

#include "plumb/nn/parts.h"

#include "nn/support/every_row.h"

namespace plumb::test {
namespace {

bool holds_any(const std::string& name, std::initializer_list<const char*> patterns) {
  return std::ranges::any_of(patterns, [&](const char* one) { return name.find(one) != std::string::npos; });
}

std::string part_by_name(const std::string& name) {
  const std::string stack = name.substr(0, name.find('.')) + ' ';
  if (holds_any(name, {"norm", "_ln."})) return stack + "norms";
  if (holds_any(name, {".embed"})) return stack + "embedding";
  if (holds_any(name, {".self_attn."})) return stack + "self_attn";
  if (holds_any(name, {".encoder_attn."})) return stack + "encoder_attn";
  if (holds_any(name, {".fc1.", ".fc2."})) return stack + "ffn";
  if (holds_any(name, {".output_projection."})) return stack + "output";
  return stack + "residual";
}

std::optional<Sublayer> sublayer_by_name(const std::string& in_layer) {
  if (in_layer.starts_with("self_attn")) return Sublayer::SelfAttention;
  if (in_layer.starts_with("encoder_attn")) return Sublayer::CrossAttention;
  if (holds_any('.' + in_layer, {".ffn_", ".fc1", ".fc2", ".final_"})) return Sublayer::FeedForward;
  return std::nullopt;
}

bool head_by_name(const std::string& name) {
  return holds_any(
      name, {".lm_head.", ".output_projection.", ".adaptive_softmax.", ".pooler.", ".classifier.", ".next_sentence."});
}

void expect_places_as_named(const ModelConfig& config) {
  const Transformer model(config);
  for (const auto& entry : model.parameters().entries()) {
    const std::string& name = entry.spec.name;
    const ParameterPlace& place = entry.spec.place;
    EXPECT_EQ(place.stack_part(), part_by_name(name)) << name;
    EXPECT_EQ(place.role == ParameterRole::Head, head_by_name(name)) << name;
    static const std::regex layered(R"((encoder|decoder)\.layers\.(\d+)\.(.*?)(\.weight|\.bias|\.alpha)?)");
    static const std::regex plain(R"((encoder|decoder)\.(.*?)(\.weight|\.bias|\.alpha)?)");
    std::smatch match;
    if (std::regex_match(name, match, layered)) {
      EXPECT_EQ(place.layer, std::stoi(match[2])) << name;
      EXPECT_EQ(place.sublayer, sublayer_by_name(match[3])) << name;
      EXPECT_EQ(place.module, match[3]) << name;
    } else {
      ASSERT_TRUE(std::regex_match(name, match, plain)) << name;
      EXPECT_FALSE(place.layer) << name;
      EXPECT_FALSE(place.sublayer) << name;
      EXPECT_EQ(place.module, match[2]) << name;
    }
    EXPECT_EQ(word(place.stack), match[1].str()) << name;
  }
}

class PlacesOfEveryRow : public EveryRow {};

TEST_P(PlacesOfEveryRow, AreWhatTheNamesSay) {
  expect_places_as_named(config());
}

TEST_P(PlacesOfEveryRow, AreWhatTheNamesSayWithEveryNorm) {
  for (NormKind norm : {NormKind::Layer, NormKind::Rms, NormKind::Scale, NormKind::Dyt}) {
    for (QkNorm qk_norm : {QkNorm::None, QkNorm::Head, QkNorm::Full, QkNorm::L2}) {
      ModelConfig model = config();
      model.norm = norm;
      model.qk_norm = qk_norm;
      expect_places_as_named(model);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, PlacesOfEveryRow, every_row(), row_name);

TEST(Places, OfEmbeddingsAreWhatTheNamesSay) {
  ModelConfig model = tiny(Form::EncoderDecoder, "post_ln");
  model.positions = Positions::Learned;
  model.layernorm_embedding = true;
  model.embedding_gain = EmbeddingGain::Vector;
  model.segments = 2;
  expect_places_as_named(model);
  model.input = InputKind::Frames;
  expect_places_as_named(model);
}

TEST(Places, OfHeadsAreWhatTheNamesSay) {
  ModelConfig model = tiny(Form::Encoder, "post_ln");
  model.head = HeadKind::MaskedWords;
  model.next_sentence = true;
  expect_places_as_named(model);
  model.head = HeadKind::Classes;
  expect_places_as_named(model);
}

TEST(Places, OfBandsAreWhatTheNamesSay) {
  for (bool input : {false, true}) {
    for (bool tied : {false, true}) {
      ModelConfig model = tiny(Form::Decoder, "pre_ln");
      model.adaptive_cutoffs = {5, 9};
      model.adaptive_input = input;
      model.share_decoder_input_output_embed = tied && input;
      model.adaptive_tie_projections = tied && input;
      expect_places_as_named(model);
    }
  }
}

TEST(Parts, AddUpToTheModelInItsOrder) {
  const Transformer model(tiny(Form::EncoderDecoder, "rezero"));
  const std::vector<Part> parts = parameters_by_part(model.parameters());
  int64_t total = 0;
  std::vector<std::string> names;
  for (const Part& part : parts) {
    total += part.parameters;
    names.push_back(part.name);
  }
  EXPECT_EQ(total, model.parameters().parameter_count());
  EXPECT_EQ(names.front(), "encoder embedding");
  EXPECT_TRUE(std::ranges::find(names, "decoder encoder_attn") != names.end());
}

}  // namespace
}  // namespace plumb::test
