#include "plumb/train/prefetch.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plumb/base/sha256.h"
#include "plumb/data/token_file.h"
#include "plumb/task/parallel_corpus.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

class PrefetchTest : public testing::Test {
 protected:
  PrefetchTest() : corpus_(split(folder_), /*max_length=*/0) {}

  static PreparedSplit split(const TemporaryDirectory& folder) {
    TokenFileWriter source, target;
    for (int32_t i = 4; i < 20; ++i) {
      source.add(std::vector<int32_t>{i, 4});
      target.add(std::vector<int32_t>{i, i, 5});
    }
    const PreparedSplit files{{"train.en", (folder / "source").string(), {}},
                              {"train.de", (folder / "target").string(), {}}};
    source.write(files.source.tokens, sha256_hex("source"));
    target.write(files.target.tokens, sha256_hex("target"));
    return files;
  }

  void expect_batch(const TrainingBatch& batch, const SentenceList& sentences) const {
    const TrainingBatch direct = corpus_.batch(sentences);
    EXPECT_TRUE(at::equal(batch.targets, direct.targets));
    EXPECT_TRUE(at::equal(batch.inputs.source.ids, direct.inputs.source.ids));
    EXPECT_EQ(batch.inputs.target.rows.samples(), direct.inputs.target.rows.samples());
  }

  TemporaryDirectory folder_;
  ParallelCorpus corpus_;
};

TEST_F(PrefetchTest, GivesTheBatchThatIsAskedForWhateverWasAnnounced) {
  const SentenceList a = {0, 3, 5}, b = {1}, c = {9, 2};
  Prefetch prefetch(corpus_);
  expect_batch(prefetch.take(a, &b), a);
  expect_batch(prefetch.take(b, &c), b);       // as announced
  expect_batch(prefetch.take(a, nullptr), a);  // c was announced: a resume went elsewhere
  expect_batch(prefetch.take(c, &a), c);       // nothing was announced
}  // a batch that nobody takes is left alone

/// Says with which epoch a batch was drawn.
class EpochCorpus : public TaskCorpus {
 public:
  TrainingBatch batch(const SentenceList& examples, const Draw& draw) const override {
    return {{}, at::full({std::ssize(examples)}, draw.epoch, at::kLong)};
  }
  double unigram_entropy() const override { return 0; }
};

TEST(Prefetch, DrawsAgainWhatWasAnnouncedInAnotherEpoch) {
  const EpochCorpus corpus;
  const SentenceList a = {0}, b = {1};
  Prefetch prefetch(corpus);
  prefetch.take(a, &b, {.training = true, .epoch = 0});
  EXPECT_EQ(prefetch.take(b, nullptr, {.training = true, .epoch = 1}).targets.item<int64_t>(), 1);
}

}  // namespace
}  // namespace plumb
