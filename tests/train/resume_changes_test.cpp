#include "plumb/train/resume_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumb {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

RunIdentity identity() {
  RunIdentity run;
  run.threads = 2;
  run.fingerprint = "f";
  run.pieces = {
      {"source vocabulary", "m", "1", 10}, {"target vocabulary", "m", "1", 10}, {"training source", "a", "2", 5}};
  return run;
}

CheckpointState kept(const RunIdentity& run) {
  CheckpointState state;
  run.add_to(state);
  return checkpoint_state_of(to_text(state), "x");
}

TEST(ResumeChanges, OfTheSameRunAreNone) {
  const ResumeChanges changes = changes_since(kept(identity()), identity(), "x");
  EXPECT_FALSE(changes.matter());
  EXPECT_THAT(changes.all(), IsEmpty());
}

TEST(ResumeChanges, OfThreadsAreOfTheNumberInEffect) {
  RunIdentity now = identity();
  now.config.threads = 2;  // was 0, which came to 2
  EXPECT_THAT(changes_since(kept(identity()), now, "x").all(), IsEmpty());
  now.threads = 4;
  EXPECT_THAT(changes_since(kept(identity()), now, "x").harmless, ElementsAre("threads was 2, is 4"));
  RunIdentity before = identity();
  before.config.ops = now.config.ops = Path::Reference;
  EXPECT_EQ(changes_since(kept(before), now, "x").problem(), "was trained with another config (threads was 2, is 4)");
}

TEST(ResumeChanges, NameThreeKeysAndCountTheRest) {
  RunIdentity now = identity();
  now.config.seed = 2;
  now.config.model.dropout = 0.5;
  now.config.optim.lr = 1;
  now.config.optim.eps = 1;
  now.config.train.max_update = 7;  // harmless
  const ResumeChanges changes = changes_since(kept(identity()), now, "x");
  EXPECT_EQ(changes.problem(),
            "was trained with another config (seed was 1, is 2; model.dropout was 0.1, is 0.5; "
            "optim.lr was 0.0005, is 1.0; and 1 more)");
  EXPECT_THAT(changes.harmless, ElementsAre("train.max_update was 0, is 7"));
  EXPECT_EQ(changes.all().size(), 5);
}

TEST(ResumeChanges, OfDataAreNamedAndTheirConsequencesAreNot) {
  RunIdentity now = identity();
  now.fingerprint = "g";
  now.pieces[0].sha256 = now.pieces[1].sha256 = "3";
  now.pieces[0].count = now.pieces[1].count = 12;
  now.config.model.source_vocab = now.config.model.target_vocab = 12;
  EXPECT_EQ(changes_since(kept(identity()), now, "x").problem(),
            "was trained on other data (the vocabulary had 10 tokens, has 12)");
  now.config.data.vocab_size = 12;
  EXPECT_EQ(changes_since(kept(identity()), now, "x").problem(),
            "was trained with another config (data.vocab_size was 8000, is 12) and on other data "
            "(the vocabulary had 10 tokens, has 12)");
}

TEST(ResumeChanges, OfDataThatNoPieceExplainsMatterAllTheSame) {
  RunIdentity now = identity();
  now.fingerprint = "g";
  EXPECT_TRUE(changes_since(kept(identity()), now, "x").matter());
}

TEST(ResumeChanges, SayWhyALongerRunIsNotTheSame) {
  RunIdentity before = identity(), now = identity();
  before.config.schedule.name = now.config.schedule.name = "cosine";
  before.config.train.max_update = 100;
  now.config.train.max_update = 200;
  EXPECT_EQ(changes_since(kept(before), now, "x").problem(),
            "was trained with another config (train.max_update was 100, is 200, where cosine ends: "
            "schedule.total_updates = 100 would keep its course)");
}

}  // namespace
}  // namespace plumb
