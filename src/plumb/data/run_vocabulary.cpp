#include "plumb/data/run_vocabulary.h"

#include <fstream>
#include <iterator>
#include <string>

#include "plumb/base/atomic_file.h"
#include "plumb/base/error.h"
#include "plumb/catalogue/run_files.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

TokenizerFiles files_in(const fs::path& run, const std::string& side) {
  const fs::path stem = run / kVocabularyFolder / side;
  return {.model = stem.string() + ".model", .codes = stem.string() + ".codes", .dict = stem.string() + ".dict.txt"};
}

void copy(const std::string& from, const std::string& to) {
  if (from.empty()) return;
  std::ifstream in(from, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw DiskError(from, "cannot be read", "Run `plumb prepare` again");
  write_whole(to, bytes);
}

void keep(const TokenizerFiles& from, const TokenizerFiles& to) {
  copy(from.model, to.model);
  copy(from.codes, to.codes);
  copy(from.dict, to.dict);
}

TokenizerFiles existing(TokenizerFiles files) {
  std::error_code ignored;
  for (std::string* file : {&files.model, &files.codes, &files.dict}) {
    if (!fs::exists(*file, ignored)) file->clear();
  }
  return files;
}

}  // namespace

void keep_vocabulary(const fs::path& run, const Prepared& data) {
  std::error_code error;
  fs::create_directories(run / kVocabularyFolder, error);
  if (error) throw DiskError(run.string(), "cannot be written (" + error.message() + ")", "Choose another --out");
  keep(data.source_tokenizer, files_in(run, "source"));
  keep(data.target_tokenizer, files_in(run, "target"));
}

RunVocabulary vocabulary_of(const fs::path& run) {
  RunVocabulary vocabulary{existing(files_in(run, "source")), existing(files_in(run, "target"))};
  const fs::path frames = run / kVocabularyFolder / kFrameStatistics;
  std::error_code ignored;
  if (fs::exists(frames, ignored)) vocabulary.frames = frames.string();
  if (vocabulary.target.model.empty() && vocabulary.target.dict.empty()) {
    throw DamagedFile((run / kVocabularyFolder).string(), "is missing or not whole",
                      "Name a run directory that `plumb train` wrote");
  }
  return vocabulary;
}

}  // namespace plumb
