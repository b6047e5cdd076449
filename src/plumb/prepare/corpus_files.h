#pragma once

#include <filesystem>
#include <string>

#include "plumb/config/config.h"

namespace plumb {

/// The files of one split: what is read and what is wanted. A task that reads one text has no target.
struct SplitFiles {
  std::string source, target;
  bool there() const { return !source.empty(); }
};

struct CorpusFiles {
  SplitFiles train, valid, test;
};

/// Creates a folder of the cache, if it is not there.
void make_cache_folder(const std::filesystem::path& folder);

/// Makes every corpus two files of lines for each split, so that all that follows is the same: built-in data is written
/// out, tables are taken apart (sentences, two of them with a tab between, and their labels; audio files and their
/// transcripts). What is made goes into the cache, by content.
CorpusFiles corpus_files(const Config& config);

}  // namespace plumb
