// No two rows of the table are the same thing under two names.

#include <cmath>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "nn/support/every_row.h"

namespace plumb::test {
namespace {

/// What a row does: its logits with weights that every row shares, and how it starts.
struct Fingerprint {
  std::vector<double> values;
};

Fingerprint fingerprint(const Variant& row) {
  Fingerprint print;
  for (Form form : kForms) {
    ModelConfig config = tiny(form, std::string(row.name));
    config.encoder_layers = config.decoder_layers = 4;
    config.activation = Activation::Relu;
    Transformer model(config, 1, at::kDouble);
    const Batch batch = tiny_batch(config);
    model.profile(batch, {});
    // At the start: the features, and the spread of every kind of matrix over the layers.
    at::NoGradGuard no_grad;
    print.values.push_back(model.features(batch, {}).square().mean().item<double>());
    for (const auto& entry : model.parameters().entries()) {
      if (entry.spec.name.ends_with("fc1.weight") || entry.spec.name.ends_with("_skip_scale")) {
        print.values.push_back(model.parameters().value(entry.spec.name).square().mean().item<double>());
      }
    }
    // With random weights: the logits.
    randomise(model, 5);
    const at::Tensor out = logits(model, batch).contiguous();
    print.values.insert(print.values.end(), out.data_ptr<double>(), out.data_ptr<double>() + out.numel());
  }
  return print;
}

bool differ(const Fingerprint& a, const Fingerprint& b) {
  if (a.values.size() != b.values.size()) return true;
  for (size_t i = 0; i < a.values.size(); ++i) {
    if (std::abs(a.values[i] - b.values[i]) > 1e-6) return true;
  }
  return false;
}

TEST(EveryPairOfRows, DiffersInOutputOrInInitialStatistics) {
  std::vector<Fingerprint> prints;
  for (const Variant& row : variants()) prints.push_back(fingerprint(row));
  for (size_t i = 0; i < prints.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      EXPECT_TRUE(differ(prints[i], prints[j])) << variants()[i].name << " and " << variants()[j].name;
    }
  }
}

}  // namespace
}  // namespace plumb::test
