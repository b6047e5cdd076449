#include "plumb/decode/search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <ATen/ATen.h>

#include "plumb/decode/sampling.h"
#include "plumb/nn/embedding.h"

namespace plumb {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

/// A hypothesis that has not ended.
struct Open {
  std::vector<int32_t> tokens;
  double log_probability = 0;
  bool alive = true;  // false: a place of the beam that nothing fills
};

struct Candidate {
  int64_t hypothesis = 0;  // within its sentence
  int32_t token = 0;
  double log_probability = kNever;
};

/// One sentence in the search.
class Sentence {
 public:
  Sentence(const SourceInfo& info, const DecodeOptions& options, size_t index)
      : index(index), options_(options), random_(options.seed, "sampling/" + std::to_string(info.sample)) {
    const double longest =
        options.max_len_a * static_cast<double>(info.length) + static_cast<double>(options.max_len_b);
    limit_ = std::clamp<int64_t>(static_cast<int64_t>(longest), 1, std::max<int64_t>(1, info.limit - 1));
    open.resize(static_cast<size_t>(options.beam));
    // At first all hypotheses are the same: only one may branch, unless each draws its own samples.
    for (size_t i = 1; i < open.size(); ++i) open[i].alive = options.sampling;
  }

  bool done() const { return done_; }
  std::vector<Hypothesis> take_finished() {
    std::ranges::stable_sort(finished_, std::ranges::greater{}, &Hypothesis::score);
    if (std::ssize(finished_) > options_.nbest) finished_.resize(static_cast<size_t>(options_.nbest));
    return std::move(finished_);
  }

  /// One step: `log_p` is [beam, V]. Gives the hypothesis that each place of the beam continues.
  std::vector<int64_t> advance(double* log_p, int64_t words) {
    for (size_t i = 0; i < open.size(); ++i) forbid(open[i], log_p + static_cast<int64_t>(i) * words, words);
    const std::vector<Candidate> candidates = options_.sampling ? sampled(log_p, words) : best(log_p, words);
    return take(candidates);
  }

  size_t index;
  std::vector<Open> open;

 private:
  void forbid(const Open& one, double* log_p, int64_t words) const {
    const auto length = std::ssize(one.tokens);
    log_p[kPad] = kNever;
    log_p[kBos] = kNever;
    if (length < options_.min_length) log_p[kEos] = kNever;
    if (options_.no_repeat_ngram > 0) forbid_repeats(one.tokens, log_p);
    if (length >= limit_) {
      for (int64_t word = 0; word < words; ++word) {
        if (word != kEos) log_p[word] = kNever;
      }
    }
    // Whatever was forbidden before, a sentence must be able to end.
    if (std::all_of(log_p, log_p + words, [](double x) { return x == kNever; })) log_p[kEos] = 0;
  }

  void forbid_repeats(const std::vector<int32_t>& tokens, double* log_p) const {
    const auto n = static_cast<size_t>(options_.no_repeat_ngram);
    if (tokens.size() + 1 < n) return;
    const auto tail = tokens.end() - static_cast<std::ptrdiff_t>(n - 1);
    for (size_t start = 0; start + n <= tokens.size(); ++start) {
      if (std::equal(tail, tokens.end(), tokens.begin() + static_cast<std::ptrdiff_t>(start))) {
        log_p[tokens[start + n - 1]] = kNever;
      }
    }
  }

  // The 2 * beam best continuations of all hypotheses together: enough for `beam` that do not end.
  std::vector<Candidate> best(const double* log_p, int64_t words) const {
    std::vector<Candidate> all;
    const auto wanted = static_cast<size_t>(2 * options_.beam);
    std::vector<int32_t> order(static_cast<size_t>(words));
    for (size_t i = 0; i < open.size(); ++i) {
      if (!open[i].alive) continue;
      const double* row = log_p + static_cast<int64_t>(i) * words;
      for (size_t w = 0; w < order.size(); ++w) order[w] = static_cast<int32_t>(w);
      const size_t kept = std::min(wanted, order.size());
      // Ties go to the smaller token, so that the result does not depend on the sort.
      std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(),
                        [&](int32_t a, int32_t b) { return row[a] != row[b] ? row[a] > row[b] : a < b; });
      for (size_t k = 0; k < kept; ++k) {
        all.push_back({static_cast<int64_t>(i), order[k], open[i].log_probability + row[order[k]]});
      }
    }
    std::ranges::stable_sort(all, std::ranges::greater{}, &Candidate::log_probability);
    if (all.size() > wanted) all.resize(wanted);
    return all;
  }

  std::vector<Candidate> sampled(const double* log_p, int64_t words) {
    std::vector<Candidate> drawn;
    for (size_t i = 0; i < open.size(); ++i) {
      if (!open[i].alive) continue;
      const std::span<const double> row(log_p + static_cast<int64_t>(i) * words, static_cast<size_t>(words));
      const int32_t token = draw_token(row, options_.temperature, options_.top_k, options_.top_p, random_);
      drawn.push_back({static_cast<int64_t>(i), token, open[i].log_probability + row[static_cast<size_t>(token)]});
    }
    return drawn;
  }

  std::vector<int64_t> take(const std::vector<Candidate>& candidates) {
    std::vector<Open> next;
    std::vector<int64_t> from;
    for (size_t rank = 0; rank < candidates.size() && std::ssize(next) < options_.beam; ++rank) {
      const Candidate& candidate = candidates[rank];
      if (candidate.log_probability == kNever) continue;
      const Open& old = open[static_cast<size_t>(candidate.hypothesis)];
      if (candidate.token == kEos) {
        const bool in_beam = options_.sampling || std::cmp_less(rank, options_.beam);
        if (in_beam && std::ssize(finished_) < options_.beam) finish(old, candidate.log_probability);
        continue;
      }
      next.push_back(old);
      next.back().tokens.push_back(candidate.token);
      next.back().log_probability = candidate.log_probability;
      from.push_back(candidate.hypothesis);
    }
    done_ = next.empty() || std::ssize(finished_) >= options_.beam;
    next.resize(open.size(), Open{.tokens = {}, .log_probability = 0, .alive = false});
    from.resize(open.size(), 0);
    open = std::move(next);
    return from;
  }

  void finish(const Open& one, double log_probability) {
    const double length = static_cast<double>(one.tokens.size() + 1);
    finished_.push_back({one.tokens, log_probability / std::pow(length, options_.lenpen), log_probability});
  }

  const DecodeOptions& options_;
  RandomStream random_;
  int64_t limit_ = 1;
  bool done_ = false;
  std::vector<Hypothesis> finished_;
};

at::Tensor long_tensor(const std::vector<int64_t>& values) {
  return at::tensor(values, at::kLong);
}

}  // namespace

std::vector<std::vector<Hypothesis>> search(Scorer& scorer, std::span<const SourceInfo> infos,
                                            const DecodeOptions& options) {
  std::vector<std::vector<Hypothesis>> results(infos.size());
  std::vector<Sentence> active;
  for (size_t i = 0; i < infos.size(); ++i) active.emplace_back(infos[i], options, i);
  at::Tensor ids = at::full({std::ssize(active) * options.beam}, kEos, at::kLong);  // fairseq starts from </s>
  while (!active.empty()) {
    at::Tensor log_p = scorer.step(ids).to(at::kDouble).log_softmax(-1).contiguous();
    const int64_t words = log_p.size(1);
    std::vector<int64_t> rows, kept, tokens;
    for (size_t s = 0; s < active.size(); ++s) {
      const int64_t first = static_cast<int64_t>(s) * options.beam;
      for (int64_t from : active[s].advance(log_p.data_ptr<double>() + first * words, words)) {
        rows.push_back(first + from);
      }
      if (active[s].done()) {
        results[active[s].index] = active[s].take_finished();
        continue;
      }
      kept.push_back(static_cast<int64_t>(s));
      for (const Open& one : active[s].open) tokens.push_back(one.tokens.empty() ? kPad : one.tokens.back());
    }
    scorer.reorder(long_tensor(rows));
    if (kept.size() < active.size()) {
      scorer.keep(long_tensor(kept));
      std::vector<Sentence> going_on;
      for (int64_t s : kept) going_on.push_back(std::move(active[static_cast<size_t>(s)]));
      active = std::move(going_on);
    }
    ids = long_tensor(tokens);
  }
  return results;
}

}  // namespace plumb
