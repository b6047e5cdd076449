#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// The defaults are sacreBLEU's chrF2; a word order of 2 makes it chrF2++ (Popović 2015, 2017).
struct ChrfOptions {
  size_t char_order = 6;
  size_t word_order = 0;
  int beta = 2;  // recall counts beta times as much as precision
  bool lowercase = false;
  bool whitespace = false;     // white space is part of character n-grams
  bool eps_smoothing = false;  // the mean of F over all orders, as chrF++.py has it, instead of F of the means
};

/// Of one n-gram order: how many the hypothesis has (0 if the reference has none, so that the order does not count),
/// how many the reference has, how many match.
struct ChrfCounts {
  int64_t hypothesis = 0, reference = 0, matched = 0;
};

/// Character orders first, then word orders. They add up over sentences.
using ChrfStatistics = std::vector<ChrfCounts>;

/// Of several references the one that gives the best F is taken.
ChrfStatistics chrf_statistics(std::string_view hypothesis, std::span<const std::string> references,
                               const ChrfOptions& options = {});

void add(ChrfStatistics& sum, const ChrfStatistics& other);

/// In percent:  (1 + beta^2) P R / (beta^2 P + R),  P and R averaged over the orders that both sides have. Characters
/// are code points.
double chrf_of(const ChrfStatistics& sum, const ChrfOptions& options = {});

double corpus_chrf(std::span<const std::string> hypotheses, std::span<const std::string> references,
                   const ChrfOptions& options = {});
double corpus_chrf(std::span<const std::string> hypotheses, std::span<const std::vector<std::string>> references,
                   const ChrfOptions& options = {});

/// "chrF2", "chrF2++"
std::string chrf_name(const ChrfOptions& options = {});

/// For signature(): "case:mixed|eff:yes|nc:6|nw:0|space:no|version:..."
std::string chrf_settings(const ChrfOptions& options = {});

}  // namespace plumb
