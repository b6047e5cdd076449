#include "plumb/data/sized_by.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "plumb/base/error.h"
#include "plumb/config/dump.h"
#include "plumb/config/load.h"

namespace plumb {
namespace {

struct Loaded {
  explicit Loaded(const std::vector<std::string>& overrides) { config = load_overrides(overrides, &sources); }
  Sources sources;
  Config config;
};

Prepared prepared() {
  Prepared data;
  data.source_vocab = 70;
  data.target_vocab = 90;
  data.source_rate = 8000;
  return data;
}

std::string error_of(const std::vector<std::string>& overrides) {
  const Loaded loaded(overrides);
  try {
    sized_by(loaded.config, prepared(), loaded.sources);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(SizedBy, TakesTheVocabularies) {
  const Loaded loaded({"task=translation"});
  const Config sized = sized_by(loaded.config, prepared(), loaded.sources);
  EXPECT_EQ(sized.model.source_vocab, 70);
  EXPECT_EQ(sized.model.target_vocab, 90);
  EXPECT_EQ(sized.model.classes, loaded.config.model.classes);
}

TEST(SizedBy, TakesTheLabelsAsClasses) {
  const Loaded loaded({"task=classification"});
  const Config sized = sized_by(loaded.config, prepared(), loaded.sources);
  EXPECT_EQ(sized.model.classes, 86);  // without the special ids
  EXPECT_EQ(sized.model.target_vocab, loaded.config.model.target_vocab);
}

TEST(SizedBy, TakesTheRateOfAudioUnlessTheUserGaveOne) {
  const Loaded loaded({"task=speech"}), given({"task=speech", "speech.source_rate=16000"});
  const Config sized = sized_by(loaded.config, prepared(), loaded.sources);
  EXPECT_EQ(sized.speech.source_rate, 8000);
  EXPECT_EQ(sized.model.source_vocab, loaded.config.model.source_vocab);  // frames have none
  EXPECT_EQ(sized_by(given.config, prepared(), given.sources).speech.source_rate, 16000);
}

TEST(SizedBy, RefusesASizeThatIsNotTheRealOne) {
  EXPECT_EQ(error_of({"model.source_vocab=70"}), "");
  EXPECT_EQ(error_of({"model.source_vocab=71"}),
            "--set model.source_vocab: says 71, but the data has 70. Leave the key out; the data decides");
  EXPECT_NE(error_of({"task=classification", "model.classes=3"}).find("model.classes"), std::string::npos);
}

TEST(SizedBy, RefusesBandsThatBeginBehindTheLastWord) {
  const std::vector<std::string> model = {"task=language_model", "model.form=decoder", "train.label_smoothing=0"};
  const auto with = [&](const std::string& cutoffs) {
    std::vector<std::string> overrides = model;
    overrides.push_back("model.adaptive_cutoffs=" + cutoffs);
    return error_of(overrides);
  };
  EXPECT_EQ(with("[20, 89]"), "");
  EXPECT_NE(with("[20, 90]").find("the last band begins at 90, but there are 90 words"), std::string::npos);
}

TEST(SizedAs, TakesWhatTheDataOfARunDecided) {
  const Loaded loaded({"task=translation"});
  const Config run = sized_by(loaded.config, prepared(), loaded.sources);
  const Config sized = sized_as(loaded.config, run);
  EXPECT_EQ(to_toml(sized), to_toml(run));
  EXPECT_NE(to_toml(sized), to_toml(loaded.config));
}

TEST(SizedBeforeData, TakesTheSizeThatIsToBeTrainedWhereNobodySaysMore) {
  const Loaded unsaid({}), said({"data.vocab_size=500", "model.target_vocab=400"});
  EXPECT_EQ(sized_before_data(unsaid.config, unsaid.sources).model.source_vocab, unsaid.config.model.source_vocab);
  const Config sized = sized_before_data(said.config, said.sources);
  EXPECT_EQ(sized.model.source_vocab, 500);
  EXPECT_EQ(sized.model.target_vocab, 400);
}

}  // namespace
}  // namespace plumb
