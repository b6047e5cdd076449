#include "plumb/checkpoint/run_weights.h"

#include <thread>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"
#include "plumb/base/sha256.h"
#include "plumb/config/dump.h"

#include "checkpoint/small_model.h"

namespace plumb {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Updates = std::vector<int64_t>;

class RunWeightsTest : public ::testing::Test {
 protected:
  CheckpointState state() const { return {.config = to_toml(config_)}; }
  void save(int64_t update) const { Small(static_cast<double>(update), 0).save(checkpoints_, update, state()); }
  std::string refusal(const Config& config) const {
    try {
      RunWeights(run_.path(), config, {});
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  const TemporaryDirectory run_;
  const Checkpoints checkpoints_{run_.path()};
  Config config_;
};

TEST_F(RunWeightsTest, AreThoseOfTheLastCheckpointsOrOfTheChosenOne) {
  for (const int64_t update : {1, 2, 3}) save(update);
  const auto updates = [&](const WeightsChoice& choice) { return RunWeights(run_.path(), config_, choice).updates(); };
  EXPECT_EQ(updates({"1", 1}), Updates{1});
  EXPECT_EQ(updates({"best", 2}), (Updates{3, 2}));
  EXPECT_EQ(updates({"best", 10}), (Updates{3, 2, 1}));
  EXPECT_THROW(updates({"7", 2}), UserError);
  Small model(0, 0);
  RunWeights(run_.path(), config_, {"last", 2}).load(model.store);
  EXPECT_TRUE(at::equal(model.store.value("w"), at::full({5}, 2.5f)));
}

TEST_F(RunWeightsTest, OfAnotherModelAreRefusedByTheKey) {
  save(40);
  config_.model.heads = 4;
  EXPECT_THAT(refusal(config_), HasSubstr("model.heads is 4, but checkpoint 40 was trained with 8. Restore"));
  const auto changed = [&](const auto& change) {
    Config other = Config();
    change(other);
    return refusal(other);
  };
  EXPECT_THAT(changed([](Config& c) { c.model.activation = Activation::Gelu; }), HasSubstr("model.activation"));
  EXPECT_THAT(changed([](Config& c) { c.model.norm_eps = 1e-3; }), HasSubstr("model.norm_eps"));
  EXPECT_THAT(changed([](Config& c) { c.model.scale_embedding = false; }), HasSubstr("model.scale_embedding"));
  EXPECT_THAT(changed([](Config& c) { c.model.max_positions = 99; }), HasSubstr("model.max_positions"));
  EXPECT_THAT(changed([](Config& c) { c.data.lowercase = true; }), HasSubstr("data.lowercase"));
  EXPECT_THAT(
      changed([](Config& c) { c.model.heads = c.model.width = c.model.ffn_width = c.model.max_positions = 16; }),
      AllOf(HasSubstr("model.width"), HasSubstr("and 1 more")));
}

TEST_F(RunWeightsTest, MayBeUsedWithOtherOptionsOfGenerationAndTraining) {
  save(40);
  config_.generate.beam = 9;
  config_.train.max_update = 7;
  config_.threads = 3;
  config_.ops = Path::Reference;
  config_.model.dropout = 0.5;
  config_.data.test_source = "other";
  EXPECT_EQ(refusal(config_), "");
}

TEST_F(RunWeightsTest, OfAnOlderVersionAreComparedInTheKeysThatItHad) {
  CheckpointState older{.config = "seed = 1\n\n[model]\nheads = 8\n"};
  Small(1, 0).save(checkpoints_, 40, older);
  config_.model.norm_eps = 0.5;
  EXPECT_EQ(refusal(config_), "");
  config_.model.heads = 4;
  EXPECT_THAT(refusal(config_), AllOf(HasSubstr("model.heads"), Not(HasSubstr("norm_eps"))));
}

TEST_F(RunWeightsTest, NeedTheVocabulariesThatTheyWereTrainedWith) {
  write_all(run_ / "dict", "words");
  const std::string hashes = "nonenone" + sha256_hex("words");
  CheckpointState with = state();
  with.contents["target vocabulary"] = {{"sha256", sha256_hex(hashes)}, {"count", 1}};
  Small(1, 0).save(checkpoints_, 40, with);
  const RunWeights weights(run_.path(), config_, {});
  RunVocabulary vocabulary;
  vocabulary.target.dict = (run_ / "dict").string();
  EXPECT_NO_THROW(weights.check_vocabulary(vocabulary));
  write_all(run_ / "dict", "other words");
  try {
    weights.check_vocabulary(vocabulary);
    FAIL() << "another vocabulary";
  } catch (const DamagedFile& error) {
    EXPECT_THAT(error.what(), HasSubstr("the target vocabulary changed since checkpoint 40 was trained"));
  }
}

TEST_F(RunWeightsTest, AreChosenAgainIfTheyAreRemovedMeanwhile) {
  save(1);
  RunWeights weights(run_.path(), config_, {});
  save(2);
  checkpoints_.remove(1);
  Small model(0, 0);
  weights.load(model.store);
  EXPECT_EQ(weights.updates(), Updates{2});
  EXPECT_EQ(model.store.value("w")[0].item<double>(), 2);
  RunWeights second(run_.path(), config_, {"2"});
  save(3);
  checkpoints_.remove(2);
  EXPECT_THROW(second.load(model.store), UserError);  // who names one means it
}

TEST_F(RunWeightsTest, CanBeReadBesideARunThatReplacesThem) {
  save(1);
  std::jthread trainer([&](const std::stop_token& stop) {
    for (int64_t update = 2; !stop.stop_requested(); ++update) {
      save(update);
      checkpoints_.remove(update - 1);
    }
  });
  for (int i = 0; i < 20; ++i) {
    Small model(0, 0);
    RunWeights weights(run_.path(), config_, {});
    EXPECT_NO_THROW(weights.load(model.store));
    EXPECT_EQ(model.store.value("w")[0].item<double>(), static_cast<double>(weights.updates().front()));
  }
}

TEST_F(RunWeightsTest, ThatAreDamagedAreNotPassedOver) {
  save(1);
  save(2);
  flip(checkpoints_.model_file(2));
  Small model(0, 0);
  EXPECT_THROW(RunWeights(run_.path(), config_, {"last"}).load(model.store), DamagedFile);
  flip(checkpoints_.folder(2) / "state.json", 10);
  EXPECT_THROW(RunWeights(run_.path(), config_, {"last"}), DamagedFile);
}

}  // namespace
}  // namespace plumb
