// The cheap probes read the same numbers off a model on another device, bit for bit.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plumb/ops/path.h"
#include "plumb/probe/examine.h"

#include "support/accelerator.h"

namespace plumb::probe {
namespace {

Config measured_config(std::string_view variant) {
  Config config;
  config.model.variant = variant;
  config.model.width = 16;
  config.model.ffn_width = 32;
  config.model.heads = 2;
  config.model.encoder_layers = config.model.decoder_layers = 2;
  config.model.source_vocab = config.model.target_vocab = 50;
  config.probe.seeds = 1;
  config.probe.batches = 2;
  config.probe.batch_tokens = 40;
  config.probe.depths = {1, 2};
  config.probe.curvature_pairs = 2;
  config.probe.lanczos_steps = 3;
  config.probe.lanczos_vectors = 1;
  return config;
}

std::vector<const ProbeRow*> probes_of_a_model() {
  std::vector<const ProbeRow*> rows;
  for (const ProbeRow& row : probes()) {
    if (row.needs == ProbeRow::Needs::Model && row.name != "lemmas") rows.push_back(&row);
  }
  return rows;
}

struct DeviceCase {
  const ProbeRow* row;
  std::string_view variant;
};

std::vector<DeviceCase> device_cases() {
  std::vector<DeviceCase> all;
  for (const ProbeRow* row : probes_of_a_model()) {
    for (const std::string_view variant : {"post_ln", "b2t", "dlcl_pre"}) all.push_back({row, variant});
  }
  return all;
}

class DeviceOfProbe : public ::testing::TestWithParam<DeviceCase> {};

TEST_P(DeviceOfProbe, ReadsThereWhatItReadsHere) {
  const auto [row, variant] = GetParam();
  const Config config = measured_config(variant);
  const ops::PathScope reference(ops::Path::Reference);
  const Where where(test::accelerator(), at::kFloat);
  const Sample here = random_sample(config), there = here.to(where);
  const Subject subject(config, here, 1);
  const int64_t before = test::accelerator_ops();
  const Findings on_cpu = examine(subject, {row}, [] {});
  EXPECT_EQ(test::accelerator_ops(), before);
  const Findings on_device = examine(subject.with_where(where, there), {row}, [] {});
  EXPECT_GT(test::accelerator_ops(), before);
  const std::vector<Curve>&a = on_cpu.all[0].means, &b = on_device.all[0].means;
  ASSERT_EQ(a.size(), b.size());
  ASSERT_FALSE(a.empty());
  for (size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].number, b[i].number);
    if (a[i].number != "seconds") {
      EXPECT_EQ(a[i].means(), b[i].means()) << a[i].number;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, DeviceOfProbe, ::testing::ValuesIn(device_cases()), [](const auto& info) {
  return std::string(info.param.row->name) + '_' + std::string(info.param.variant);
});

}  // namespace
}  // namespace plumb::probe
