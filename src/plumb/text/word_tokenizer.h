#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/text/dictionary_tokenizer.h"

namespace plumb {

/// Words are what stands between white space, as in the word-level corpora (WikiText). `decode(encode(line))` is the
/// line with one blank between its words, if the dictionary knows them all. Unlike BpeTokenizer it has no joiner: a
/// word that ends in @@ stays one, and white space is all that Python knows, as for fairseq.
class WordTokenizer : public DictionaryTokenizer {
 public:
  /// `dict` is a dict.txt: of build_dictionary or of fairseq-preprocess.
  explicit WordTokenizer(const std::string& dict);

  std::vector<std::string> pieces(std::string_view line) const override;
  std::string join(std::span<const std::string> pieces) const override;
};

}  // namespace plumb
