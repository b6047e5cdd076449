#include "plumb/train/step.h"

#include <limits>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plumb/dist/one_worker.h"
#include "plumb/task/loss.h"
#include "plumb/train/training_data.h"

#include "support/thread_workers.h"
#include "support/tiny_translation.h"

namespace plumb {
namespace {

/// One worker's model and its place in the data.
struct Learner {
  Learner(const Config& config, const TrainingData& data, Workers& workers)
      : model(config.model, 1), batches(*data.train, config.train.max_tokens, 3), step(config, model, workers, phase) {}

  const at::Tensor& values() { return model.parameters().values(); }
  const at::Tensor& gradients() { return model.parameters().gradients(); }

  PhaseFile phase;
  Transformer model;
  BatchCursor batches;
  Step step;
};

class StepTest : public testing::Test {
 protected:
  TinyTranslation tiny_;
  Config& config_ = tiny_.config;
  const TrainingData data_{tiny_.config, tiny_.data};
  OneWorker alone_;
};

TEST_F(StepTest, IsAMeanOverAllTokensOfItsBatches) {
  config_.train.update_freq = 3;
  config_.optim.name = "sgd";
  Learner learner(config_, data_, alone_);
  const Transformer same(config_.model, 1);
  BatchCursor batches(*data_.train, config_.train.max_tokens, 3);
  double loss = 0, nll = 0;
  int64_t tokens = 0, rows = 0;
  for (int64_t i = 0; i < 3; ++i) {
    const TrainingBatch batch = batches.next();
    const ops::CrossEntropy sums = losses(same, batch, config_.train, training_pass(config_, i, same.where()));
    sums.smoothed.backward();
    loss += sums.smoothed.item<double>();
    nll += sums.nll.item<double>();
    tokens += batch.tokens();
    rows += batch.source_rows() + batch.target_rows();
  }
  const at::Tensor gradient = same.parameters().gradients() / static_cast<double>(tokens);
  const StepResult result = learner.step.take(0, learner.batches);
  EXPECT_EQ(result.tokens, tokens);
  EXPECT_EQ(result.rows, rows);
  EXPECT_DOUBLE_EQ(result.loss, loss / static_cast<double>(tokens));
  EXPECT_DOUBLE_EQ(result.nll, nll / static_cast<double>(tokens));
  EXPECT_NEAR(result.gradient_norm, gradient.norm().item<double>(), 1e-5 * result.gradient_norm);
  const at::Tensor expected = same.parameters().values() - config_.optim.lr * gradient;
  EXPECT_TRUE(at::allclose(learner.values(), expected, 1e-5, 1e-7));
}

TEST_F(StepTest, SaysWhichRateItUsed) {
  config_.schedule.name = "step";
  config_.schedule.step_epochs = {1};
  config_.schedule.decay = 0.5;
  config_.optim.name = "sgd";
  Learner learner(config_, data_, alone_);
  for (int64_t update = 0; learner.batches.position().epoch < 2; ++update) {
    const double used = learner.batches.position().epoch == 0 ? 1e-2 : 5e-3;
    const at::Tensor before = learner.values().clone();
    const StepResult result = learner.step.take(update, learner.batches);
    EXPECT_EQ(result.lr, used) << update;
    const at::Tensor change = learner.gradients() * (-used / static_cast<double>(result.tokens));
    EXPECT_TRUE(at::allclose(learner.values() - before, change, 1e-3, 1e-6)) << update;
  }
}

TEST_F(StepTest, TellsBeforeAParameterChanges) {
  Learner learner(config_, data_, alone_);
  const at::Tensor before = learner.values().clone();
  int calls = 0;
  learner.step.take(0, learner.batches, [&] {
    ++calls;
    EXPECT_TRUE(at::equal(learner.values(), before));
    EXPECT_GT(learner.gradients().norm().item<double>(), 0);
  });
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(at::equal(learner.values(), before));
}

// Which samples an update has and how they are dropped out does not depend on who computes them.
TEST_F(StepTest, OfSeveralWorkersIsThatOfOne) {
  config_.train.update_freq = 4;
  config_.optim.clip_norm = 0.5;
  constexpr int64_t kUpdates = 8;
  Learner one(config_, data_, alone_);
  std::vector<StepResult> expected;
  std::vector<at::Tensor> gradients;
  for (int64_t update = 0; update < kUpdates; ++update) {
    expected.push_back(one.step.take(update, one.batches));
    gradients.push_back(one.gradients().clone());
  }
  for (int size : {2, 3, 5}) {  // equal shares, unequal ones, one with nothing to do
    std::vector<at::Tensor> ends(static_cast<size_t>(size));
    ThreadWorkers(size).run([&](Workers& workers) {
      Learner learner(config_, data_, workers);
      for (int64_t update = 0; update < kUpdates; ++update) {
        const StepResult result = learner.step.take(update, learner.batches);
        const StepResult& other = expected[static_cast<size_t>(update)];
        EXPECT_EQ(result.tokens, other.tokens);
        EXPECT_EQ(result.rows, other.rows);
        EXPECT_NEAR(result.fill, other.fill, 1e-12);
        EXPECT_NEAR(result.loss, other.loss, 1e-4) << size << ' ' << update;
        EXPECT_NEAR(result.gradient_norm, other.gradient_norm, 1e-3) << size << ' ' << update;
        if (update == 0) {
          EXPECT_TRUE(at::allclose(learner.gradients(), gradients[0], 1e-4, 1e-5)) << size;
        }
      }
      ends[static_cast<size_t>(workers.rank())] = learner.values().clone();
    });
    for (const at::Tensor& end : ends) EXPECT_TRUE(at::equal(end, ends[0])) << size;
  }
}

TEST_F(StepTest, IsSkippedByAllWorkersIfOneOfThemHasNan) {
  config_.train.update_freq = 2;
  ThreadWorkers(2).run([&](Workers& workers) {
    Learner learner(config_, data_, workers);
    const char* spoilt = "encoder.layers.0.fc2.bias";
    if (workers.rank() == 1) {
      learner.model.parameters().value(spoilt).fill_(std::numeric_limits<double>::quiet_NaN());
    }
    const at::Tensor before = learner.values().nan_to_num(7);
    const StepResult result = learner.step.take(0, learner.batches, [] { ADD_FAILURE() << "nothing may change"; });
    EXPECT_FALSE(result.applied);
    EXPECT_TRUE(at::equal(learner.values().nan_to_num(7), before));
    EXPECT_EQ(learner.step.optimiser().steps(), 0);
    if (workers.rank() == 1) {
      EXPECT_EQ(result.nonfinite.parameter, spoilt);
    }
  });
}

}  // namespace
}  // namespace plumb
