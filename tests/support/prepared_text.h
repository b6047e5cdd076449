#pragma once

#include <string>
#include <vector>

#include "plumb/data/prepared.h"
#include "plumb/data/run_vocabulary.h"

#include "support/temporary_directory.h"

namespace plumb {

/// A text of words w4, w5, ... with these ids, as `plumb prepare` leaves it: text, tokens and a word dictionary.
struct PreparedText {
  PreparedSide side;
  RunVocabulary vocabulary;
};
PreparedText prepared_text(const TemporaryDirectory& folder, const std::vector<std::vector<int32_t>>& lines,
                           int32_t words, const std::string& name = "text");

}  // namespace plumb
