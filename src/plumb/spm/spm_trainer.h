#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace plumb {

/// What a SentencePiece model is made like. Names are SentencePiece's.
struct SpmOptions {
  std::string type = "bpe";                // bpe or unigram
  int vocab_size = 8000;                   // with the four specials; a small corpus gets fewer
  double character_coverage = 0.9995;      // the share of characters that get a piece; the rest is unknown, or bytes
  bool byte_fallback = false;              // 256 pieces for bytes, so that nothing is unknown
  std::string normalization = "nmt_nfkc";  // or nfkc, nmt_nfkc_cf, nfkc_cf, identity (which also keeps every space)
  int64_t input_sentence_size = 1000000;   // at most so many lines, drawn with `seed`; 0: all
  uint64_t seed = 1;
};

/// Gives the next line, or false at the end.
using LineSource = std::function<bool(std::string& line)>;

/// The lines of several files one after another; gzip is unpacked.
LineSource lines_of(std::vector<std::string> paths);

/// Trains a model and returns the bytes of its .model file, with the ids bos 0, pad 1, eos 2, unk 3. The same lines and
/// options give the same bytes. `name` stands for the text in error messages.
std::string train_spm(const LineSource& next, const SpmOptions& options, const std::string& name);

/// The same from files to a file, which appears whole or not at all.
void train_spm_file(const std::vector<std::string>& inputs, const SpmOptions& options,
                    const std::filesystem::path& model);

/// A model of these files that may have been trained before: its name in `directory` says the content of the files and
/// the options. Trains it if it is not there.
std::filesystem::path cached_model(const std::filesystem::path& directory, const std::vector<std::string>& inputs,
                                   const SpmOptions& options);

}  // namespace plumb
