// The parameter list of every row: against the oracle's own list, and against tests/golden/params_<row>.json.

#include <cstdlib>
#include <fstream>

#include <ATen/ATen.h>
#include <nlohmann/json.hpp>

#include "nn/support/every_row.h"
#include "oracle/random_weights.h"

namespace plumb::test {
namespace {

nlohmann::json parameter_list(const std::string& variant) {
  nlohmann::json list;
  for (Form form : kForms) {
    const Transformer model(tiny(form, variant), 1, at::kDouble);
    nlohmann::json& entries = list[std::string(word(form))];
    for (const auto& entry : model.parameters().entries()) entries[entry.spec.name] = entry.spec.shape;
  }
  return list;
}

class ParametersOfEveryRow : public EveryRow {};

TEST_P(ParametersOfEveryRow, AreThoseTheOracleReads) {
  const Transformer model(config(), 1, at::kDouble);
  std::map<std::string, size_t> ours;
  for (const auto& entry : model.parameters().entries()) ours[entry.spec.name] = static_cast<size_t>(entry.count);
  const oracle::Vocabulary vocabulary{.source = 11, .target = 13, .positions = 16};
  std::map<std::string, size_t> theirs;
  for (const auto& [name, size] : oracle::tensor_sizes(oracle_config(config()), vocabulary))
    theirs[name] = static_cast<size_t>(size);
  EXPECT_EQ(ours, theirs);
}

INSTANTIATE_TEST_SUITE_P(Table, ParametersOfEveryRow, every_row(), row_name);

// PLUMB_UPDATE_GOLDEN=1 rewrites the files; the difference is then read by a person before it is committed.
TEST(Parameters, AreTheGoldenOnesForEveryRow) {
  for (const Variant& row : variants()) {
    const std::string name(row.name);
    const std::string path = std::string(PLUMB_SOURCE_DIR) + "/tests/golden/params_" + name + ".json";
    if (std::getenv("PLUMB_UPDATE_GOLDEN")) std::ofstream(path) << parameter_list(name).dump(1) << '\n';
    std::ifstream file(path);
    ASSERT_TRUE(file) << path << " is missing";
    EXPECT_EQ(parameter_list(name), nlohmann::json::parse(file)) << name;
  }
}

TEST(Parameters, OfQueryKeyAndValueAreAdjacent) {
  const Transformer model(tiny(Form::EncoderDecoder, "post_ln"), 1, at::kDouble);
  const auto start = [&](const std::string& name) { return model.parameters().value(name).data_ptr<double>(); };
  const std::string self = "decoder.layers.1.self_attn.", cross = "decoder.layers.1.encoder_attn.";
  EXPECT_EQ(start(self + "k_proj.weight") - start(self + "q_proj.weight"), 64);
  EXPECT_EQ(start(self + "v_proj.weight") - start(self + "k_proj.weight"), 64);
  EXPECT_EQ(start(cross + "v_proj.weight") - start(cross + "k_proj.weight"), 64);
}

TEST(Parameters, ThatTwoRowsShareStartEqualInBoth) {
  const Transformer post(tiny(Form::EncoderDecoder, "post_ln"), 3), b2t(tiny(Form::EncoderDecoder, "b2t"), 3);
  const std::string name = "decoder.layers.1.fc2.weight";
  EXPECT_TRUE(at::equal(post.parameters().value(name), b2t.parameters().value(name)));
  const Transformer other(tiny(Form::EncoderDecoder, "post_ln"), 4);
  EXPECT_FALSE(at::equal(post.parameters().value(name), other.parameters().value(name)));
}

TEST(Parameters, OfTiedEmbeddingsAreStoredOnce) {
  ModelConfig config = tiny(Form::EncoderDecoder, "post_ln");
  config.source_vocab = config.target_vocab;
  const int64_t untied = Transformer(config, 1).parameters().parameter_count();
  const int64_t table = config.target_vocab * config.width;
  config.share_decoder_input_output_embed = true;
  EXPECT_EQ(Transformer(config, 1).parameters().parameter_count(), untied - table);
  config.share_all_embeddings = true;
  const Transformer all(config, 1);
  EXPECT_EQ(all.parameters().parameter_count(), untied - 2 * table);
  EXPECT_EQ(all.parameters().value("decoder.output_projection.weight").data_ptr(),
            all.parameters().value("encoder.embed_tokens.weight").data_ptr());
}

// Sizes that the papers state, which no small model can show: Transformer-base 6-6 with a shared 37k vocabulary.
TEST(Parameters, OfPaperModelsCountAsThePapersSay) {
  ModelConfig config;
  config.variant = "post_ln";
  config.width = 512;
  config.ffn_width = 2048;
  config.heads = 8;
  config.source_vocab = config.target_vocab = 37000;
  config.share_all_embeddings = true;
  // 6 x (4 d^2 + 2 d f + 9 d + f + 4 d) + 6 x (8 d^2 + 2 d f + ...) + V d: Vaswani et al. print 65M for "base".
  const double millions = static_cast<double>(Transformer(config, 1).parameters().parameter_count()) / 1e6;
  EXPECT_NEAR(millions, 63.1, 0.1);
}

}  // namespace
}  // namespace plumb::test
