// Would the comparison with the oracle notice a mistake? Each bug is planted in the oracle; it must show somewhere.

#include <iostream>

#include <ATen/ATen.h>

#include "nn/support/every_row.h"

namespace plumb::test {
namespace {

// A wrong model must be further off than a right one may be (1e-10), by a wide margin.
constexpr double kNoticed = 1e-8;

struct Candidate {
  ModelConfig config;
  std::string name;
};

std::vector<Candidate> candidates() {
  std::vector<Candidate> all;
  const auto add = [&](const ModelConfig& config, const std::string& name) { all.push_back({config, name}); };
  for (Form form : kForms) {
    for (const Variant& row : variants()) {
      const std::string variant(row.name);
      add(tiny(form, variant), case_name(variant, form));
    }
    for (NormKind kind : {NormKind::Rms, NormKind::Scale, NormKind::Dyt}) {
      ModelConfig config = tiny(form, "pre_ln");
      config.norm = kind;
      add(config, case_name("pre_ln_" + std::string(word(kind)), form));
    }
    for (QkNorm kind : {QkNorm::Head, QkNorm::Full, QkNorm::L2}) {
      ModelConfig config = tiny(form, "post_ln");
      config.qk_norm = kind;
      add(config, case_name("post_ln_" + std::string(word(kind)), form));
    }
  }
  ModelConfig resids = tiny(Form::EncoderDecoder, "normformer");
  resids.options.normformer_scale_resids = true;
  add(resids, "normformer_scale_resids");
  ModelConfig gain = tiny(Form::EncoderDecoder, "post_ln");
  gain.embedding_gain = EmbeddingGain::Vector;
  add(gain, "embedding_gain");
  return all;
}

TEST(PlantedBugs, AreAllNoticedByTheComparisonWithTheOracle) {
  struct Case {
    std::unique_ptr<Transformer> model;
    Batch batch;
    at::Tensor logits;
    std::string name;
  };
  std::vector<Case> cases;
  for (const Candidate& candidate : candidates()) {
    auto model = std::make_unique<Transformer>(candidate.config, 1, at::kDouble);
    randomise(*model, 7);
    const Batch batch = tiny_batch(candidate.config);
    const at::Tensor right = logits(*model, batch);
    ASSERT_LE(difference(right, oracle_logits(*model, batch)), 1e-10) << candidate.name;
    cases.push_back({std::move(model), batch, right, candidate.name});
  }
  const std::vector<oracle::Bug> bugs = oracle::all_bugs();
  size_t noticed = 0;
  for (oracle::Bug bug : bugs) {
    const auto shows = [&](const Case& one) {
      return difference(one.logits, oracle_logits(*one.model, one.batch, bug)) > kNoticed;
    };
    const auto found = std::find_if(cases.begin(), cases.end(), shows);
    EXPECT_NE(found, cases.end()) << oracle::name(bug) << " was not noticed: " << oracle::description(bug);
    if (found == cases.end()) continue;
    ++noticed;
    std::cout << "  " << oracle::name(bug) << ": noticed in " << found->name << '\n';
  }
  std::cout << "planted bugs noticed: " << noticed << " of " << bugs.size() << '\n';
  EXPECT_EQ(bugs.size(), 54u);  // README says so
  EXPECT_EQ(noticed, bugs.size());
}

}  // namespace
}  // namespace plumb::test
