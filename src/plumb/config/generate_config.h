#pragma once

#include <cstdint>

namespace plumb {

/// How to search for the output. Names and meanings are fairseq's.
struct GenerateConfig {
  int64_t beam = 5;
  double lenpen = 1;
  int64_t nbest = 1;
  int64_t min_length = 1;
  double max_len_a = 1.2;
  int64_t max_len_b = 20;
  int64_t no_repeat_ngram = 0;
  bool sampling = false;
  double temperature = 1;
  int64_t top_k = 0;
  double top_p = 1;
  int64_t max_tokens = 4096;
  int64_t average = 1;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("beam", c.beam, "hypotheses per sentence; 1 is greedy");
    visit("lenpen", c.lenpen, "a hypothesis scores log-probability / length^lenpen");
    visit("nbest", c.nbest, "how many hypotheses to print");
    visit("min_length", c.min_length, "tokens at least");
    visit("max_len_a", c.max_len_a, "tokens at most: max_len_a * source length + max_len_b");
    visit("max_len_b", c.max_len_b, "see max_len_a");
    visit("no_repeat_ngram", c.no_repeat_ngram, "n: no n-gram of tokens twice; 0: anything goes");
    visit("sampling", c.sampling, "draw tokens instead of searching");
    visit("temperature", c.temperature, "sampling: above 1 flatter, below 1 sharper");
    visit("top_k", c.top_k, "sampling: only the k likeliest tokens; 0: all");
    visit("top_p", c.top_p, "sampling: only the likeliest tokens that hold this mass; 1: all");
    visit("max_tokens", c.max_tokens, "source tokens of a batch");
    visit("average", c.average, "number of last checkpoints whose weights are averaged");
  }
};

}  // namespace plumb
