#include "plumb/decode/search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <ATen/ATen.h>

#include "plumb/catalogue/special_ids.h"
#include "plumb/decode/sampling.h"
#include "plumb/memory/where.h"

namespace plumb {
namespace {

constexpr int64_t kForbiddable = 3;  // pad, bos and eos: what may be forbidden at any time
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
  Sentence(const SourceInfo& info, const GenerateConfig& options, uint64_t seed, size_t index)
      : index(index),
        options_(options),
        prefix_(info.prefix),
        random_(seed, "sampling/" + std::to_string(info.sample)) {
    const double longest =
        options.max_len_a * static_cast<double>(info.length) + static_cast<double>(options.max_len_b);
    const int64_t room = info.limit - 1 - std::ssize(prefix_);
    limit_ = std::clamp<int64_t>(static_cast<int64_t>(longest), 1, std::max<int64_t>(1, room));
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

  /// How many of the likeliest tokens a hypothesis needs to be shown: twice the beam, and as many as can be forbidden.
  int64_t wanted() const {
    const int64_t repeats = options_.no_repeat_ngram > 0 ? std::ssize(open.front().tokens) : 0;
    return 2 * options_.beam + kForbiddable + repeats;
  }

  /// One step of beam search, given the likeliest tokens of its hypotheses, which stand from row `first` on. Gives the
  /// hypothesis that each place of the beam continues.
  std::vector<int64_t> advance(const ops::TopWords& likeliest, int64_t first) {
    if (in_prefix()) return follow_prefix();
    std::vector<Candidate> all;
    for (size_t i = 0; i < open.size(); ++i) {
      if (open[i].alive) add_candidates(likeliest, first + static_cast<int64_t>(i), static_cast<int64_t>(i), all);
    }
    // Enough for `beam` that do not end.
    const auto kept = static_cast<size_t>(2 * options_.beam);
    std::ranges::stable_sort(all, std::ranges::greater{}, &Candidate::log_probability);
    if (all.size() > kept) all.resize(kept);
    return take(all);
  }

  /// One step of sampling: `log_p` is [beam, V].
  std::vector<int64_t> advance(double* log_p, int64_t words) {
    if (in_prefix()) return follow_prefix();
    for (size_t i = 0; i < open.size(); ++i) forbid(open[i], log_p + static_cast<int64_t>(i) * words, words);
    return take(sampled(log_p, words));
  }

  size_t index;
  std::vector<Open> open;

 private:
  bool in_prefix() const { return open.front().tokens.size() < prefix_.size(); }
  std::vector<int64_t> follow_prefix() {
    std::vector<int64_t> from;
    for (size_t i = 0; i < open.size(); ++i) {
      open[i].tokens.push_back(prefix_[open[i].tokens.size()]);
      from.push_back(static_cast<int64_t>(i));
    }
    return from;
  }
  /// Tokens of its own.
  int64_t length(const Open& one) const { return std::ssize(one.tokens) - std::ssize(prefix_); }

  void forbid(const Open& one, double* log_p, int64_t words) const {
    const int64_t length = this->length(one);
    log_p[kPad] = kNever;
    log_p[kBos] = kNever;
    if (length < options_.min_length) log_p[kEos] = kNever;
    for (int32_t token : repeating(one.tokens)) log_p[token] = kNever;
    if (length >= limit_) {
      for (int64_t word = 0; word < words; ++word) {
        if (word != kEos) log_p[word] = kNever;
      }
    }
    // Whatever was forbidden before, a sentence must be able to end.
    if (std::all_of(log_p, log_p + words, [](double x) { return x == kNever; })) log_p[kEos] = 0;
  }

  /// The tokens that would make an n-gram of this hypothesis a second time.
  std::vector<int32_t> repeating(const std::vector<int32_t>& tokens) const {
    std::vector<int32_t> result;
    const auto n = static_cast<size_t>(options_.no_repeat_ngram);
    if (n == 0 || tokens.size() + 1 < n) return result;
    const auto tail = tokens.end() - static_cast<std::ptrdiff_t>(n - 1);
    for (size_t start = 0; start + n <= tokens.size(); ++start) {
      if (std::equal(tail, tokens.end(), tokens.begin() + static_cast<std::ptrdiff_t>(start))) {
        result.push_back(tokens[start + n - 1]);
      }
    }
    return result;
  }

  // The 2 * beam best continuations of one hypothesis. Whatever is forbidden, it must be able to end.
  void add_candidates(const ops::TopWords& likeliest, int64_t row, int64_t hypothesis,
                      std::vector<Candidate>& all) const {
    const Open& one = open[static_cast<size_t>(hypothesis)];
    const bool at_limit = length(one) >= limit_, may_end = length(one) >= options_.min_length;
    const size_t before = all.size();
    const auto add = [&](int32_t token, double log_p) {
      all.push_back({hypothesis, token, one.log_probability + log_p});
    };
    if (at_limit) {
      const double end = likeliest.chosen[static_cast<size_t>(row)];
      add(kEos, may_end && end > kNever ? end : 0);
      return;
    }
    const std::vector<int32_t> repeats = repeating(one.tokens);
    for (int64_t k = 0; k < likeliest.count; ++k) {
      if (all.size() - before == static_cast<size_t>(2 * options_.beam)) break;
      const int32_t token = likeliest.words_of(row)[k];
      const double log_p = likeliest.log_p_of(row)[k];
      const bool forbidden = token == kPad || token == kBos || (token == kEos && !may_end) ||
                             std::ranges::find(repeats, token) != repeats.end();
      if (log_p > kNever && !forbidden) add(token, log_p);
    }
    if (all.size() == before) add(kEos, 0);
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
    const double counted = static_cast<double>(length(one) + 1);
    finished_.push_back({one.tokens, log_probability / std::pow(counted, options_.lenpen), log_probability});
  }

  const GenerateConfig& options_;
  std::vector<int32_t> prefix_;
  RandomStream random_;
  int64_t limit_ = 1;
  bool done_ = false;
  std::vector<Hypothesis> finished_;
};

at::Tensor long_tensor(const std::vector<int64_t>& values) {
  return Where().of(values);
}

}  // namespace

ops::TopWords Scorer::step_to_best(const at::Tensor& ids, int64_t count) {
  return ops::top_words(step(ids), count, kEos);
}

std::vector<std::vector<Hypothesis>> search(Scorer& scorer, std::span<const SourceInfo> infos,
                                            const GenerateConfig& options, uint64_t seed) {
  std::vector<std::vector<Hypothesis>> results(infos.size());
  std::vector<Sentence> active;
  for (size_t i = 0; i < infos.size(); ++i) active.emplace_back(infos[i], options, seed, i);
  at::Tensor ids =
      at::full({std::ssize(active) * options.beam}, kEos, Where().options(at::kLong));  // fairseq starts from </s>
  while (!active.empty()) {
    at::Tensor log_p;  // [sentences * beam, V], for samples
    ops::TopWords likeliest;
    if (options.sampling) {
      log_p = scorer.step(ids).to(at::kCPU, at::kDouble).log_softmax(-1).contiguous();
    } else {
      likeliest = scorer.step_to_best(ids, active.front().wanted());
    }
    std::vector<int64_t> rows, kept, tokens;
    for (size_t s = 0; s < active.size(); ++s) {
      const int64_t first = static_cast<int64_t>(s) * options.beam;
      const std::vector<int64_t> from =
          options.sampling ? active[s].advance(log_p.data_ptr<double>() + first * log_p.size(1), log_p.size(1))
                           : active[s].advance(likeliest, first);
      for (int64_t hypothesis : from) rows.push_back(first + hypothesis);
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
