#include "plumb/data/batches.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "plumb/base/random_stream.h"

namespace plumb {
namespace {

void shuffle(auto& items, RandomStream& random) {
  for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

// Rows need no padding, but attention lays a batch out as a rectangle, count * longest on each side: one long sentence
// among hundreds of short ones would make it a hundred times as large as its tokens. Like lengths never come near this.
constexpr int64_t kMostPadding = 4;

// Sentences in order, cut into batches as soon as one side would exceed the budget.
std::vector<SentenceList> cut(const SentenceList& order, std::span<const PairLengths> lengths, int64_t max_tokens) {
  std::vector<SentenceList> batches;
  PairLengths used;
  int64_t longest = 0;
  for (int64_t sentence : order) {
    const PairLengths& next = lengths[static_cast<size_t>(sentence)];
    const PairLengths sum{used.source + next.source, used.target + next.target};
    const int64_t longer = std::max(longest, next.longest());
    const auto fits = [&] {
      return sum.longest() <= max_tokens && (std::ssize(batches.back()) + 1) * longer <= kMostPadding * max_tokens;
    };
    if (batches.empty() || !fits()) {
      batches.emplace_back();
      used = next;
      longest = next.longest();
    } else {
      used = sum;
      longest = longer;
    }
    batches.back().push_back(sentence);
  }
  return batches;
}

SentenceList all_sentences(size_t count) {
  SentenceList order(count);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace

std::vector<SentenceList> epoch_batches(std::span<const PairLengths> lengths, int64_t max_tokens, uint64_t seed,
                                        int64_t epoch) {
  RandomStream random(seed, "batches/" + std::to_string(epoch));
  SentenceList order = all_sentences(lengths.size());
  shuffle(order, random);
  // Stable sorts keep the random order among equals. Targets first, then sources: the longer side decides the cost.
  std::ranges::stable_sort(order, {}, [&](int64_t i) { return lengths[static_cast<size_t>(i)].target; });
  std::ranges::stable_sort(order, {}, [&](int64_t i) { return lengths[static_cast<size_t>(i)].source; });
  std::vector<SentenceList> batches = cut(order, lengths, max_tokens);
  shuffle(batches, random);
  return batches;
}

std::vector<SentenceList> ordered_batches(std::span<const PairLengths> lengths, int64_t max_tokens) {
  SentenceList order = all_sentences(lengths.size());
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](int64_t i) { return lengths[static_cast<size_t>(i)].longest(); });
  return cut(order, lengths, max_tokens);
}

}  // namespace plumb
