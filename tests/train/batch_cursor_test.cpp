#include "plumb/train/batch_cursor.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plumb/train/training_data.h"

#include "support/tiny_translation.h"

namespace plumb {
namespace {

class BatchCursorTest : public testing::Test {
 protected:
  BatchCursor cursor(int64_t max_tokens = 30) const { return {*data_.train, max_tokens, /*seed=*/3}; }

  static std::vector<int64_t> samples(const TrainingBatch& batch) { return batch.inputs.source.rows.samples(); }

  const TinyTranslation tiny_;
  const TrainingData data_{tiny_.config, tiny_.data};
};

TEST_F(BatchCursorTest, ReadsEveryExampleOnceAnEpochInAnotherOrder) {
  BatchCursor batches = cursor();
  std::vector<std::vector<int64_t>> epochs;
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    std::vector<int64_t> read;
    double before = static_cast<double>(epoch) - 1e-9;
    while (batches.position().epoch == epoch) {
      EXPECT_GT(batches.epochs(), before);
      before = batches.epochs();
      const std::vector<int64_t> peeked = samples(batches.peek()), taken = samples(batches.next());
      EXPECT_EQ(peeked, taken);
      read.insert(read.end(), taken.begin(), taken.end());
    }
    EXPECT_EQ(batches.position().batch, 0);
    EXPECT_EQ(batches.epochs(), static_cast<double>(epoch + 1));
    epochs.push_back(read);
  }
  EXPECT_NE(epochs[0], epochs[1]);
  for (std::vector<int64_t>& read : epochs) std::ranges::sort(read);
  EXPECT_EQ(epochs[0], epochs[1]);
  EXPECT_EQ(epochs[0].size(), data_.train->lengths().size());
}

TEST_F(BatchCursorTest, GoesOnFromAPositionAsIfItHadReadAllBefore) {
  BatchCursor one = cursor();
  std::vector<BatchCursor::Position> positions;
  std::vector<std::vector<int64_t>> read;
  for (int i = 0; i < 30; ++i) {
    positions.push_back(one.position());
    read.push_back(samples(one.next()));
  }
  for (size_t from : {size_t{0}, size_t{1}, size_t{17}, size_t{28}}) {
    BatchCursor other = cursor();
    other.go_to(positions[from]);
    EXPECT_EQ(other.position().batch, positions[from].batch);
    EXPECT_EQ(samples(other.next()), read[from]);
    EXPECT_EQ(samples(other.next()), read[from + 1]);
  }
}

TEST_F(BatchCursorTest, SkipsWhatAnotherWorkerReads) {
  BatchCursor one = cursor(), other = cursor();
  for (int i = 0; i < 40; ++i) {  // over an epoch's end
    const std::vector<int64_t> read = samples(one.next());
    if (i % 3 == 0) {
      other.skip();
    } else {
      EXPECT_EQ(samples(other.next()), read) << i;
    }
    EXPECT_EQ(other.epochs(), one.epochs());
  }
}

TEST_F(BatchCursorTest, BeginsTheNextEpochWhereThisOneHasNoSuchBatch) {
  BatchCursor few = cursor(/*max_tokens=*/10000);
  few.go_to({.epoch = 2, .batch = 5});
  EXPECT_EQ(few.position().epoch, 3);
  EXPECT_EQ(few.position().batch, 0);
  EXPECT_EQ(few.epochs(), 3);
}

}  // namespace
}  // namespace plumb
