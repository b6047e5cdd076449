// Every tensor matters and every planted bug shows.
#include <cmath>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "oracle/oracle.h"
#include "oracle/random_weights.h"
#include "oracle/test_models.h"

namespace oracle {
namespace {

TEST(OracleModel, EveryConfigRunsAndReadsEveryTensor) {
  for (const Config& config : many_configs()) {
    const Matrix y = run(config);
    EXPECT_EQ(y.size(), config.form == "encoder" ? kSource.size() : kTarget.size());
    for (const Row& row : y) {
      for (double value : row) EXPECT_TRUE(std::isfinite(value)) << config.encoder_variant;
    }
  }
}

TEST(OracleModel, EveryTensorChangesTheOutput) {
  for (const std::string& variant : all_variants()) {
    const Config config = config_of("encoder_decoder", variant);
    const Weights weights = random_weights(config, 1);
    const Matrix y = run(config, weights);
    for (const auto& [name, values] : weights) {
      // A key bias adds the same number to all logits of a softmax, unless the keys are normalised.
      if (name.find("k_proj.bias") != std::string::npos) continue;
      Weights nudged = weights;
      for (double& value : nudged.at(name)) value *= 1.1;
      EXPECT_GT(difference(y, run(config, nudged)), 1e-9) << variant << " " << name;
    }
  }
}

TEST(OracleBugs, NamesAreUnique) {
  std::set<std::string> names, descriptions;
  for (Bug bug : all_bugs()) {
    names.insert(name(bug));
    descriptions.insert(description(bug));
  }
  EXPECT_EQ(names.size(), all_bugs().size());
  EXPECT_EQ(descriptions.size(), all_bugs().size());
  EXPECT_EQ(all_bugs().size(), static_cast<std::size_t>(Bug::FixupShiftAdded));
}

TEST(OracleBugs, EachChangesSomeOutput) {
  const std::vector<Config> configs = many_configs();
  std::vector<Weights> weights;
  std::vector<Matrix> right;
  for (const Config& config : configs) {
    weights.push_back(random_weights(config, 1));
    right.push_back(run(config, weights.back()));
  }
  for (Bug bug : all_bugs()) {
    std::set<std::string> changed;
    for (std::size_t i = 0; i < configs.size(); ++i) {
      if (difference(right[i], run(configs[i], weights[i], bug)) > 1e-7) changed.insert(configs[i].decoder_variant);
    }
    EXPECT_FALSE(changed.empty()) << name(bug);
    // A bug named after a variant leaves the others alone.
    for (const std::string variant :
         {"b2t", "rezero", "dlcl", "deepnorm", "admin", "residual_dual", "normformer", "sub_ln", "hybrid_norm",
          "ln_scaling", "layer_scale", "mix_ln", "sandwich", "fixup"}) {
      if (name(bug).rfind(variant + "_", 0) != 0) continue;
      for (const std::string& other : changed) EXPECT_EQ(other.rfind(variant, 0), 0u) << name(bug) << " " << other;
    }
    std::string list;
    for (const std::string& variant : changed) list += " " + variant;
    RecordProperty(name(bug), list);
  }
}

}  // namespace
}  // namespace oracle
