#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// None takes text that is tokenised already and splits it at white space, as multi-bleu.perl and fairseq do.
enum class BleuTokenizer { Mteval13a, None };

/// What to do about n-gram orders without a single match (Chen and Cherry 2014): nothing, which makes BLEU 0; a small
/// count; k more in matches and totals from 2-grams on; 1/2, 1/4, 1/8, ... of a match (mteval's way).
enum class BleuSmoothing { None, Floor, AddK, Exp };

/// The defaults are sacreBLEU's. `effective_order` ignores orders longer than the sentence: right for one sentence,
/// wrong for a corpus.
struct BleuOptions {
  BleuTokenizer tokenizer = BleuTokenizer::Mteval13a;
  BleuSmoothing smoothing = BleuSmoothing::Exp;
  std::optional<double> smoothing_value;  // of Floor (0.1) and AddK (1)
  bool lowercase = false;
  bool effective_order = false;
};

inline constexpr size_t kBleuOrder = 4;

/// All that BLEU needs to know of a sentence. They add up: BLEU of a corpus is BLEU of the sum, never the mean of the
/// sentences' BLEU.
struct BleuStatistics {
  int64_t hyp_len = 0, ref_len = 0;
  std::array<int64_t, kBleuOrder> correct{}, total{};

  BleuStatistics& operator+=(const BleuStatistics& other);
  bool operator==(const BleuStatistics&) const = default;
};

/// Papineni et al. 2002, in percent:  BP * exp(mean over n of log p_n),  BP = exp(min(0, 1 - ref_len / hyp_len)).
struct Bleu {
  double score = 0;
  std::array<double, kBleuOrder> precisions{};  // in percent, smoothed
  double bp = 0;                                // brevity penalty
  BleuStatistics statistics;

  double ratio() const;
};

/// With several references a match with any of them counts, and the length is that of the closest in length, the
/// shorter of two.
BleuStatistics bleu_statistics(std::string_view hypothesis, std::span<const std::string> references,
                               const BleuOptions& options = {});

Bleu bleu_of(const BleuStatistics& sum, const BleuOptions& options = {});

/// One reference per hypothesis.
Bleu corpus_bleu(std::span<const std::string> hypotheses, std::span<const std::string> references,
                 const BleuOptions& options = {});

/// Several: `references[i]` are all those of hypothesis i.
Bleu corpus_bleu(std::span<const std::string> hypotheses, std::span<const std::vector<std::string>> references,
                 const BleuOptions& options = {});

/// With effective order, whatever the options say.
Bleu sentence_bleu(std::string_view hypothesis, std::span<const std::string> references, BleuOptions options = {});

/// "BLEU", or "BLEU (multi-bleu, tokenised)" for options that give the number of that script.
std::string_view bleu_name(const BleuOptions& options);

/// "BLEU = 41.03 76.9/52.2/30.0/23.5 (BP = 1.000 ratio = 1.083 hyp_len = 26 ref_len = 24)"
std::string bleu_line(const Bleu& bleu, const BleuOptions& options = {});

/// For signature(): "case:mixed|eff:no|tok:13a|smooth:exp|version:..."
std::string bleu_settings(const BleuOptions& options = {});

}  // namespace plumb
