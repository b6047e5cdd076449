#pragma once

#include <cstdint>
#include <string>

namespace plumb {

/// What turns lines into ids: a SentencePiece model, or a dictionary with or without BPE codes.
struct TokenizerFiles {
  std::string model;
  std::string codes, dict;
};

/// One side of a parallel corpus, ready to be read: text and ids.
struct PreparedSide {
  std::string text;           // the lines
  std::string tokens;         // a TokenFile
  std::string contents = {};  // audio: the digest of the files that the lines name (data/listed_files.h)
};

struct PreparedSplit {
  PreparedSide source, target;
  bool there() const { return !source.text.empty(); }
};

/// Everything that a run reads, as `plumb prepare` leaves it in the cache. It prints this as JSON, and the engine takes
/// it from there.
struct Prepared {
  TokenizerFiles source_tokenizer, target_tokenizer;
  int64_t source_vocab = 0, target_vocab = 0;
  int64_t source_rate = 0;  // audio: the lowest rate of the training set
  PreparedSplit train, valid, test;
  std::string fingerprint;  // of all texts and vocabularies: a resumed run must find the same
};

std::string to_json(const Prepared& prepared);
Prepared prepared_from_json(const std::string& text);

}  // namespace plumb
