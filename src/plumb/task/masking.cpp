#include "plumb/task/masking.h"

#include <algorithm>
#include <string_view>

#include "plumb/catalogue/special_ids.h"

namespace plumb {
namespace {

constexpr std::string_view kBlank = "\u2581", kJoiner = "@@";

}  // namespace

Masking::Masking(const MaskedLmConfig& config, const std::vector<std::string>& vocabulary)
    : config_(config), mask_id_(static_cast<int32_t>(vocabulary.size())) {
  // SentencePiece marks the beginning of a word, subword-nmt the end of a piece that is not the last; words alone have
  // neither mark, and each of them is a beginning.
  const bool marked =
      std::ranges::any_of(vocabulary, [](const std::string& token) { return token.starts_with(kBlank); });
  for (const std::string& token : vocabulary) {
    continues_.push_back(marked && !token.starts_with(kBlank));
    joins_next_.push_back(token.size() > kJoiner.size() && token.ends_with(kJoiner));
  }
}

bool Masking::continues(int64_t before, int64_t id) const {
  return id < mask_id_ && before < mask_id_ && before >= kSpecials &&
         (continues_[static_cast<size_t>(id)] || joins_next_[static_cast<size_t>(before)]);
}

int64_t Masking::shown(int64_t id, RandomStream& random) const {
  const double u = random.uniform();
  if (u < config_.leave_prob) return id;
  if (u >= config_.leave_prob + config_.random_prob) return mask_id_;
  return kSpecials + static_cast<int64_t>(random.below(static_cast<uint64_t>(mask_id_ - kSpecials)));
}

std::vector<int64_t> Masking::mask(std::vector<int64_t>& ids, int64_t first, RandomStream& random) const {
  std::vector<int64_t> rows, chosen;
  const auto id_at = [&](int64_t row) { return ids[static_cast<size_t>(row)]; };
  bool taken = false;
  for (int64_t row = first; row < std::ssize(ids); ++row) {
    if (id_at(row) < kSpecials && id_at(row) != kUnk) continue;
    rows.push_back(row);
    const bool same_word = config_.whole_words && row > first && continues(id_at(row - 1), id_at(row));
    if (!same_word) taken = random.uniform() < config_.mask_prob;
    if (taken) chosen.push_back(row);
  }
  if (chosen.empty() && !rows.empty()) chosen.push_back(rows[random.below(rows.size())]);
  for (int64_t row : chosen) ids[static_cast<size_t>(row)] = shown(id_at(row), random);
  return chosen;
}

}  // namespace plumb
