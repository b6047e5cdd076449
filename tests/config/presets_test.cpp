#include "plumb/config/presets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/atomic_file.h"
#include "plumb/base/error.h"
#include "plumb/catalogue/tasks.h"
#include "plumb/config/dump.h"
#include "plumb/config/load.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Words = std::vector<std::string>;

std::string problem(const Words& overrides) {
  try {
    load_overrides(overrides);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Task, EachRowPresetsItsModelAndItsData) {
  for (size_t i = 0; i < tasks().size(); ++i) {
    const TaskRow& row = tasks()[i];
    EXPECT_EQ(row.name, word(static_cast<TaskKind>(i)));
    const Config config = load_overrides(Words{"task=" + std::string(row.name)});
    EXPECT_EQ(config.model.form, row.form);
    EXPECT_EQ(config.model.head, row.head);
    EXPECT_EQ(config.model.input, row.input);
    EXPECT_EQ(config.model.segments, row.segments);
    EXPECT_EQ(config.data.corpus, row.built_in);
    EXPECT_EQ(task_of(config), static_cast<TaskKind>(i));
  }
}

TEST(Task, WithoutOneTheFormDecides) {
  EXPECT_EQ(task_of(load_overrides(Words{})), TaskKind::Translation);
  EXPECT_EQ(task_of(load_overrides(Words{"model.form=decoder"})), TaskKind::LanguageModel);
  EXPECT_EQ(task_of(load_overrides(Words{"model.form=encoder"})), TaskKind::MaskedLm);
  EXPECT_EQ(load_overrides(Words{"model.form=encoder"}).model.head, HeadKind::Words);  // the model stays what it says
}

TEST(Task, RefusesWhatDoesNotFit) {
  EXPECT_THAT(problem({"task=language_model", "model.form=encoder"}),
              AllOf(HasSubstr("language_model needs model.form = \"decoder\"")));
  EXPECT_THAT(problem({"task=speech", "data.corpus=numbers"}), HasSubstr("corpus = \"morse\""));
  EXPECT_THAT(problem({"task=language_model", "data.corpus=text"}), HasSubstr("data.train_source"));
  EXPECT_THAT(problem({"task=language_model", "data.corpus=text", "data.train_source=a", "data.valid_source=b",
                       "data.train_target=c"}),
              HasSubstr("reads one file a split"));
  EXPECT_THAT(problem({"task=language_model", "train.validate_metric=bleu"}), HasSubstr("no outputs to score"));
  EXPECT_THAT(problem({"train.validate_metric=blue"}), HasSubstr("bleu"));
  EXPECT_THAT(problem({"model.head=classes"}), HasSubstr("behind an encoder"));
  EXPECT_THAT(problem({"task=classification", "data.text_columns=[1, 2, 3]"}), HasSubstr("3 columns"));
}

TEST(Bands, AreChecked) {
  const Words model = {"task=language_model", "train.label_smoothing=0.0"};
  const auto with = [&](Words more) {
    more.insert(more.begin(), model.begin(), model.end());
    return problem(more);
  };
  EXPECT_EQ(with({"model.adaptive_cutoffs=[100, 200]"}), "");
  EXPECT_THAT(with({"model.adaptive_cutoffs=[200, 100]"}), HasSubstr("does not come after"));
  EXPECT_THAT(with({"model.adaptive_input=true"}), HasSubstr("adaptive_cutoffs"));
  EXPECT_THAT(with({"model.adaptive_cutoffs=[100]", "model.share_decoder_input_output_embed=true"}),
              HasSubstr("adaptive_input = true"));
  EXPECT_THAT(with({"model.adaptive_cutoffs=[100]", "model.adaptive_tie_projections=true"}), HasSubstr("not tied"));
  EXPECT_THAT(with({"model.adaptive_cutoffs=[100]", "train.label_smoothing=0.1"}), HasSubstr("no label smoothing"));
  EXPECT_THAT(problem({"model.adaptive_cutoffs=[100]"}), HasSubstr("language models"));
}

TEST(Pretrained, GivesItsModelWhereTheConfigSaysNothing) {
  const TemporaryDirectory folder;
  const Config bert = load_overrides(Words{"task=masked_lm", "model.width=64", "model.heads=4", "model.variant=b2t",
                                           "model.dropout=0.3", "data.subwords=word", "model.next_sentence=true"});
  write_whole(folder / "config.toml", to_toml(bert));
  const std::string from = "train.pretrained=" + folder.path().string();
  const Config tuned = load_overrides(Words{"task=classification", from, "model.heads=8"});
  EXPECT_EQ(tuned.model.width, 64);
  EXPECT_EQ(tuned.model.heads, 8);
  EXPECT_EQ(tuned.model.variant, "b2t");
  EXPECT_EQ(tuned.model.head, HeadKind::Classes);
  EXPECT_FALSE(tuned.model.next_sentence);
  EXPECT_EQ(tuned.model.dropout, 0.1);  // the task's own
  EXPECT_EQ(tuned.data.subwords, Subwords::Word);
  EXPECT_THAT(problem({"task=classification", "train.pretrained=/nowhere/run"}), HasSubstr("is not a run"));
}

TEST(Pretrained, ACheckpointStandsBehindAnAt) {
  EXPECT_EQ(pretrained_run("runs/bert").checkpoint, "best");
  EXPECT_EQ(pretrained_run("runs/bert@2000").folder, "runs/bert");
  EXPECT_EQ(pretrained_run("runs/bert@2000").checkpoint, "2000");
}

}  // namespace
}  // namespace plumb
