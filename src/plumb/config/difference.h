#pragma once

#include <string>
#include <vector>

#include "plumb/config/config.h"

namespace plumb {

/// One key that two configs do not share, with its values as TOML.
struct Difference {
  std::string key, before, after;

  bool operator==(const Difference&) const = default;
  std::string in_words() const;  // optim.lr was 0.001, is 0.002
};

/// Every key whose value differs, in the order of the file.
std::vector<Difference> differences(const Config& before, const Config& after);

/// Whether this key decides what trained weights compute, or how text and audio reach them: who reads a checkpoint must
/// have it as the checkpoint was trained. Dropout and first values are not among them.
bool decides_outputs(const std::string& key);

/// Whether a run may be resumed although this key differs: it says when a run looks, writes or stops, or where files
/// lie, and the updates are the same as if it had always been so. Of the keys of [data] all but max_length act
/// through the prepared files alone, which are compared by content: `same_data`.
bool may_change_on_resume(const std::string& key, const Config& before, const Config& after, bool same_data);

}  // namespace plumb
