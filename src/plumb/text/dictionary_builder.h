#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace plumb {

struct DictionaryOptions {
  int64_t size = 0;        // ids at most, the four specials included; 0: as many as the text has
  int64_t min_count = 1;   // how often a token must occur
  bool lowercase = false;  // count what a LowercaseTokenizer will ask for
};

/// Writes a dict.txt for WordTokenizer, whole or not at all: the words of all texts (plain or gzip) with their counts,
/// the most frequent first and equally frequent ones in the order of their bytes, as fairseq sorts them. Returns the
/// number of ids.
///
/// Words that are spelt like a special (WikiText is full of <unk>) get no line: a Dictionary reads them as unknown.
int32_t build_dictionary(std::span<const std::string> texts, const std::string& path,
                         const DictionaryOptions& options = {});

/// The same for CharacterTokenizer: every character of the texts, the blank included.
int32_t build_character_dictionary(std::span<const std::string> texts, const std::string& path,
                                   const DictionaryOptions& options = {});

}  // namespace plumb
