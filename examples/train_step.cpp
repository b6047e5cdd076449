// Builds a small B2T model from its row of the table and takes training steps: train_step [VARIANT]

#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include <plumb/config/load.h>
#include <plumb/optim/optimiser.h>
#include <plumb/task/loss.h>

namespace {

// Sequences without padding: each is followed by the next. The decoder reads what it has to say, one place later.
plumb::TrainingBatch batch_of(const std::vector<std::vector<int32_t>>& sentences) {
  constexpr int64_t kBegin = 2;
  plumb::Packer source, input, target;
  for (size_t i = 0; i < sentences.size(); ++i) {
    const std::vector<int32_t>& words = sentences[i];
    const auto sample = static_cast<int64_t>(i);
    source.add(words);
    source.end_sequence(sample);
    input.add(kBegin);
    input.add(std::span(words).first(words.size() - 1));
    input.end_sequence(sample);
    target.add(words);
  }
  return {{source.tokens(), input.tokens()}, target.ids()};
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> settings = {std::string("model.variant=") + (argc > 1 ? argv[1] : "b2t"),
                                             "model.width=32", "model.source_vocab=16", "model.target_vocab=16",
                                             "optim.lr=0.003"};
  const plumb::Config config = plumb::load_overrides(settings);
  plumb::Transformer model(config.model, /*seed=*/1);
  const auto optimiser = plumb::make_optimiser(config.optim, model.parameters());
  const plumb::TrainingBatch batch = batch_of({{4, 5, 6, 7}, {8, 9, 10}, {11, 12, 13, 14, 15}});
  const auto tokens = static_cast<double>(batch.tokens());
  double first = 0, last = 0;
  for (uint64_t step = 1; step <= 20; ++step) {
    model.parameters().zero_gradients();
    const auto loss = plumb::losses(model, batch, config.train, {.training = true, .seed = 1, .step = step});
    loss.smoothed.backward();
    optimiser->step(config.optim.lr, /*gradient_scale=*/1 / tokens);
    last = loss.nll.item<double>() / tokens;
    if (step == 1) first = last;
  }
  std::printf("loss %.3f nats at the first step, %.3f at the 20th\n", first, last);
  return last < first ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
