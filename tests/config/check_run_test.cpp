// What check_run refuses: one line that names the key and what to write instead.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"
#include "plumb/config/load.h"

#include "config/config_test.h"

namespace plumb {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal(const std::vector<std::string>& overrides) {
  try {
    load_overrides(overrides);
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CheckRun, RefusesNumbersThatNoRunCanHave) {
  for (const char* key : {"train.log_interval", "train.update_freq", "train.max_tokens", "train.nonfinite_steps",
                          "train.band_window", "generate.beam", "generate.nbest", "generate.temperature",
                          "generate.average", "generate.max_tokens", "data.numbers_train", "data.max_length"}) {
    EXPECT_THAT(refusal({std::string(key) + "=0"}),
                AllOf(HasSubstr(key), HasSubstr("0 is too small"), HasSubstr("or more")));
  }
  for (const char* key : {"train.max_update", "train.save_interval", "train.patience", "generate.top_k"}) {
    EXPECT_EQ(refusal({std::string(key) + "=0"}), "accepted") << key;
    EXPECT_THAT(refusal({std::string(key) + "=-1"}), HasSubstr("-1 is too small")) << key;
  }
  EXPECT_THAT(refusal({"train.label_smoothing=1.0"}), HasSubstr("train.label_smoothing"));
  EXPECT_THAT(refusal({"generate.top_p=1.5"}), HasSubstr("not between 0 and 1"));
}

TEST(CheckRun, RefusesMoreHypothesesThanTheBeamHolds) {
  EXPECT_THAT(refusal({"generate.beam=2", "generate.nbest=3"}),
              AllOf(HasSubstr("generate.nbest"), HasSubstr("beam of 2")));
}

TEST(CheckRun, RefusesTextWithoutItsFiles) {
  EXPECT_THAT(refusal({"data.corpus=text"}), HasSubstr("needs data.train_source"));
  const std::vector<std::string> files = {"data.corpus=text", "data.train_source=a", "data.train_target=b",
                                          "data.valid_source=c", "data.valid_target=d"};
  EXPECT_EQ(refusal(files), "accepted");
  std::vector<std::string> half = files;
  half.push_back("data.test_source=e");
  EXPECT_THAT(refusal(half), HasSubstr("only one side"));
  std::vector<std::string> without = files;
  without.push_back("data.subwords=subword_nmt");
  EXPECT_THAT(refusal(without), HasSubstr("needs a dictionary"));
}

TEST(CheckRun, RefusesSizesThatNoMachineCanHold) {
  for (const char* key : {"data.numbers_train", "data.numbers_valid", "data.examples_train", "generate.beam"}) {
    EXPECT_THAT(refusal({std::string(key) + "=1000000000"}),
                AllOf(HasSubstr(key), HasSubstr("1000000000 is too large"), HasSubstr("at most")));
  }
  EXPECT_EQ(refusal({"generate.beam=10000", "data.numbers_train=10000000"}), "accepted");
}

}  // namespace
}  // namespace plumb
