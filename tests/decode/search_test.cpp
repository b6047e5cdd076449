#include "plumb/decode/search.h"

#include <cmath>
#include <map>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plumb/base/random_stream.h"
#include "plumb/nn/embedding.h"

namespace plumb {
namespace {

constexpr uint64_t kToySeed = 1;
constexpr int64_t kWords = 7;  // four specials and three words

/// Logits that depend on the sentence and on the whole prefix, drawn from a stream that the prefix names.
std::vector<double> prefix_logits(int64_t sentence, const std::vector<int32_t>& prefix) {
  std::string name = "toy/" + std::to_string(sentence);
  for (int32_t token : prefix) name += ',' + std::to_string(token);
  RandomStream random(3, name);
  std::vector<double> logits(kWords);
  for (double& x : logits) x = 2 * random.normal();
  return logits;
}

std::vector<double> log_softmax(const std::vector<double>& logits) {
  double sum = 0;
  for (double x : logits) sum += std::exp(x);
  std::vector<double> result;
  for (double x : logits) result.push_back(x - std::log(sum));
  return result;
}

class Toy : public Scorer {
 public:
  Toy(int64_t sentences, int64_t beam, int64_t first = 0) : beam_(beam) {
    for (int64_t s = 0; s < sentences; ++s) names_.push_back(first + s);
    prefixes_.resize(static_cast<size_t>(sentences * beam));
  }
  at::Tensor step(const at::Tensor& ids) override {
    std::vector<at::Tensor> rows;
    for (size_t i = 0; i < prefixes_.size(); ++i) {
      if (started_) prefixes_[i].push_back(ids[static_cast<int64_t>(i)].item<int32_t>());
      rows.push_back(at::tensor(prefix_logits(names_[i / static_cast<size_t>(beam_)], prefixes_[i]), at::kDouble));
    }
    started_ = true;
    return at::stack(rows);
  }
  void reorder(const at::Tensor& rows) override {
    std::vector<std::vector<int32_t>> next;
    for (int64_t i = 0; i < rows.numel(); ++i) next.push_back(prefixes_[static_cast<size_t>(rows[i].item<int64_t>())]);
    prefixes_ = next;
  }
  void keep(const at::Tensor& sentences) override {
    std::vector<std::vector<int32_t>> next;
    std::vector<int64_t> names;
    for (int64_t i = 0; i < sentences.numel(); ++i) {
      const auto s = sentences[i].item<int64_t>();
      names.push_back(names_[static_cast<size_t>(s)]);
      for (int64_t b = 0; b < beam_; ++b) next.push_back(prefixes_[static_cast<size_t>(s * beam_ + b)]);
    }
    prefixes_ = next;
    names_ = names;
  }

 private:
  int64_t beam_;
  bool started_ = false;
  std::vector<int64_t> names_;
  std::vector<std::vector<int32_t>> prefixes_;
};

/// Every hypothesis of at most `longest` tokens, with its log-probability: the truth.
void enumerate(int64_t sentence, std::vector<int32_t>& prefix, double log_p, int64_t longest,
               std::vector<Hypothesis>& all) {
  const std::vector<double> next = log_softmax(prefix_logits(sentence, prefix));
  if (!prefix.empty()) all.push_back({prefix, 0, log_p + next[kEos]});
  if (std::ssize(prefix) == longest) return;
  for (int32_t token = kUnk; token < kWords; ++token) {
    prefix.push_back(token);
    enumerate(sentence, prefix, log_p + next[static_cast<size_t>(token)], longest, all);
    prefix.pop_back();
  }
}

Hypothesis exhaustive(int64_t sentence, int64_t longest, double lenpen) {
  std::vector<Hypothesis> all;
  std::vector<int32_t> prefix;
  enumerate(sentence, prefix, 0, longest, all);
  Hypothesis best;
  best.score = -1e300;
  for (Hypothesis& one : all) {
    one.score = one.log_probability / std::pow(static_cast<double>(one.tokens.size() + 1), lenpen);
    if (one.score > best.score) best = one;
  }
  return best;
}

GenerateConfig options(int64_t beam) {
  GenerateConfig o;
  o.beam = beam;
  o.max_len_a = 0;
  o.max_len_b = 4;
  return o;
}

// 4 + 16 + 64 + 256 prefixes: a beam that holds all of them is exhaustive search.
TEST(BeamSearch, WithABeamThatHoldsEverythingFindsTheBestHypothesis) {
  for (double lenpen : {0.0, 0.6, 1.0, 1.4}) {
    for (int64_t sentence = 0; sentence < 6; ++sentence) {
      GenerateConfig wide = options(400);
      wide.lenpen = lenpen;
      Toy toy(1, wide.beam, sentence);
      const SourceInfo info[] = {{.length = 3}};
      const Hypothesis found = search(toy, info, wide, kToySeed)[0][0];
      const Hypothesis best = exhaustive(sentence, 4, lenpen);
      EXPECT_EQ(found.tokens, best.tokens) << sentence << ' ' << lenpen;
      EXPECT_NEAR(found.log_probability, best.log_probability, 1e-12);
      EXPECT_NEAR(found.score, best.score, 1e-12);
    }
  }
}

TEST(BeamSearch, ScoresAreThoseOfTheirTokens) {
  Toy toy(3, 3);
  GenerateConfig three = options(3);
  three.nbest = 3;
  const SourceInfo infos[] = {{.length = 3, .sample = 0}, {.length = 3, .sample = 1}, {.length = 3, .sample = 2}};
  const auto results = search(toy, infos, three, kToySeed);
  for (int64_t s = 0; s < 3; ++s) {
    const auto& list = results[static_cast<size_t>(s)];
    ASSERT_EQ(list.size(), 3u);
    for (size_t i = 0; i < list.size(); ++i) {
      double log_p = 0;
      std::vector<int32_t> prefix;
      for (int32_t token : list[i].tokens) {
        log_p += log_softmax(prefix_logits(s, prefix))[static_cast<size_t>(token)];
        prefix.push_back(token);
      }
      log_p += log_softmax(prefix_logits(s, prefix))[kEos];
      if (prefix.size() < 4) {
        EXPECT_NEAR(list[i].log_probability, log_p, 1e-12);
      }
      if (i > 0) {
        EXPECT_GE(list[i - 1].score, list[i].score);
      }
    }
  }
}

TEST(BeamSearch, OfASentenceDoesNotDependOnWhatSharesItsBatch) {
  const SourceInfo infos[] = {{.length = 3, .sample = 0}, {.length = 3, .sample = 1}, {.length = 3, .sample = 2}};
  for (bool sampling : {false, true}) {
    GenerateConfig o = options(3);
    o.sampling = sampling;
    Toy together(3, 3);
    const auto all = search(together, infos, o, kToySeed);
    for (int64_t s = 0; s < 3; ++s) {
      Toy alone(1, 3, s);
      const auto one = search(alone, std::span(infos).subspan(static_cast<size_t>(s), 1), o, kToySeed);
      EXPECT_EQ(one[0][0].tokens, all[static_cast<size_t>(s)][0].tokens) << s << ' ' << sampling;
    }
  }
}

TEST(BeamSearch, WithABeamOfOneIsGreedy) {
  for (int64_t sentence = 0; sentence < 5; ++sentence) {
    Toy toy(1, 1, sentence);
    const SourceInfo info[] = {{.length = 3}};
    const std::vector<int32_t> found = search(toy, info, options(1), kToySeed)[0][0].tokens;
    std::vector<int32_t> greedy;
    while (greedy.size() < 4) {
      std::vector<double> next = log_softmax(prefix_logits(sentence, greedy));
      next[kBos] = next[kPad] = -1e300;
      if (greedy.empty()) next[kEos] = -1e300;
      const auto token = static_cast<int32_t>(std::ranges::max_element(next) - next.begin());
      if (token == kEos) break;
      greedy.push_back(token);
    }
    EXPECT_EQ(found, greedy) << sentence;
  }
}

TEST(BeamSearch, KeepsMinimumAndMaximumLength) {
  for (int64_t sentence = 0; sentence < 5; ++sentence) {
    GenerateConfig o = options(4);
    o.min_length = 3;
    o.nbest = 4;
    Toy toy(1, 4, sentence);
    const SourceInfo info[] = {{.length = 3}};
    const auto found = search(toy, info, o, kToySeed);
    for (const Hypothesis& one : found[0]) {
      EXPECT_GE(one.tokens.size(), 3u);
      EXPECT_LE(one.tokens.size(), 4u);
    }
  }
}

TEST(BeamSearch, RepeatsNoNgramWhenAskedNotTo) {
  for (int64_t n : {1, 2, 3}) {
    GenerateConfig o = options(4);
    o.max_len_b = 12;
    o.no_repeat_ngram = n;
    o.min_length = 2;
    Toy toy(1, 4, 2);
    const SourceInfo info[] = {{.length = 3}};
    const std::vector<int32_t> tokens = search(toy, info, o, kToySeed)[0][0].tokens;
    std::map<std::vector<int32_t>, int> seen;
    for (size_t i = 0; i + static_cast<size_t>(n) <= tokens.size(); ++i) {
      const auto begin = tokens.begin() + static_cast<std::ptrdiff_t>(i);
      EXPECT_EQ(++seen[std::vector<int32_t>(begin, begin + n)], 1) << n;
    }
  }
}

TEST(BeamSearch, AlwaysGivesAHypothesis) {
  GenerateConfig o = options(5);
  o.max_len_b = 1;
  o.min_length = 50;  // more than there may be: the limit wins
  Toy toy(1, 5);
  const SourceInfo info[] = {{.length = 1}};
  EXPECT_EQ(search(toy, info, o, kToySeed)[0].size(), 1u);
}

// Four words may each come once, and the sentence may not end before the tenth: after the fourth nothing is allowed.
TEST(BeamSearch, GivesAHypothesisEvenWhenEverythingIsForbidden) {
  for (bool sampling : {false, true}) {
    GenerateConfig o = options(3);
    o.max_len_b = 50;
    o.min_length = 10;
    o.no_repeat_ngram = 1;
    o.sampling = sampling;
    Toy toy(1, 3);
    const SourceInfo info[] = {{.length = 1}};
    EXPECT_EQ(search(toy, info, o, kToySeed)[0].at(0).tokens.size(), 4u) << sampling;
  }
}

}  // namespace
}  // namespace plumb
