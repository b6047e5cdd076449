#include "batch_file.h"

#include <fstream>

#include <ATen/ATen.h>
#include <nlohmann/json.hpp>

#include "plumb/catalogue/special_ids.h"

namespace plumb::bench {
namespace {

using Sentences = std::vector<std::vector<int64_t>>;

at::Tensor joined(const Sentences& sentences) {
  std::vector<int64_t> ids;
  for (const auto& sentence : sentences) ids.insert(ids.end(), sentence.begin(), sentence.end());
  return at::tensor(ids, at::kLong);
}

Tokens packed(const Sentences& sentences) {
  if (sentences.empty()) return {};
  std::vector<int64_t> lengths;
  for (const auto& sentence : sentences) lengths.push_back(std::ssize(sentence));
  return {joined(sentences), ops::Packed(lengths)};
}

// What the decoder reads: one word behind, from </s> on.
Sentences shifted(Sentences sentences) {
  for (auto& sentence : sentences) {
    sentence.insert(sentence.begin(), kEos);
    sentence.pop_back();
  }
  return sentences;
}

}  // namespace

std::vector<TrainingBatch> read_batches(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<TrainingBatch> batches;
  for (const auto& batch : nlohmann::json::parse(file)) {
    const Sentences source = batch.at("source"), target = batch.at("target");
    batches.push_back({{packed(source), packed(shifted(target))}, joined(target)});
  }
  return batches;
}

}  // namespace plumb::bench
