#include "plumb/decode/generate.h"

#include "plumb/decode/model_scorer.h"

namespace plumb {

std::vector<std::vector<Hypothesis>> generate(const Transformer& model, const Tokens& sources,
                                              const GenerateConfig& options, uint64_t seed) {
  std::vector<SourceInfo> infos;
  for (int64_t b = 0; b < sources.rows.sequences(); ++b) {
    infos.push_back({.length = sources.rows.length(b) - 1,  // without </s>
                     .sample = sources.rows.samples()[static_cast<size_t>(b)],
                     .limit = model.config().max_positions});
  }
  ModelScorer scorer(model, sources, options.beam);
  return search(scorer, infos, options, seed);
}

std::vector<std::vector<Hypothesis>> continue_prompts(const Transformer& model, std::span<const Prompt> prompts,
                                                      const GenerateConfig& options, uint64_t seed) {
  std::vector<SourceInfo> infos;
  for (const Prompt& prompt : prompts) {
    infos.push_back(
        {.length = 0, .sample = prompt.sample, .limit = model.config().max_positions, .prefix = prompt.tokens});
  }
  ModelScorer scorer(model, {}, options.beam, std::ssize(prompts));
  return search(scorer, infos, options, seed);
}

}  // namespace plumb
