#include "plumb/prepare/corpus_files.h"

#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "plumb/audio/write_wav.h"
#include "plumb/base/checked_file.h"
#include "plumb/base/error.h"
#include "plumb/base/file_content.h"
#include "plumb/base/make_folder.h"
#include "plumb/base/progress.h"
#include "plumb/base/sha256.h"
#include "plumb/catalogue/tasks.h"
#include "plumb/config/presets.h"
#include "plumb/data/headline.h"
#include "plumb/data/listed_files.h"
#include "plumb/data/morse.h"
#include "plumb/data/number_text.h"
#include "plumb/data/numbers.h"
#include "plumb/data/table.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

/// Two texts, line by line.
struct Lines {
  std::vector<std::string> source, target;
};

// Written once; the folder's name says everything that the text depends on. What is not intact is written again.
template <class Make>
SplitFiles written(const DataConfig& data, const std::string& folder_name, Split split, bool with_target,
                   const Make& make, bool usable = true) {
  const fs::path folder = fs::path(data.cache) / folder_name;
  const std::string name(name_of(split));
  SplitFiles files{(folder / (name + ".source")).string(), with_target ? (folder / (name + ".target")).string() : ""};
  make_cache_folder(folder);
  if (usable && is_intact(files.source) && (!with_target || is_intact(files.target))) return files;
  const Lines lines = make();
  if (with_target) write_checked(files.target, joined(lines.target));
  write_checked(files.source, joined(lines.source));
  return files;
}

SplitFiles number_translations(const Config& config, Split split) {
  const DataConfig& d = config.data;
  const auto seed = static_cast<uint64_t>(config.seed);
  const int64_t count = split == Split::Train ? d.numbers_train : d.numbers_valid;
  return written(d, fmt::format("numbers-{}-{}-{}", d.numbers_max, count, seed), split, true, [&] {
    NumberPairs pairs = number_pairs(split, count, d.numbers_max, seed);
    return Lines{std::move(pairs.english), std::move(pairs.german)};
  });
}

int64_t examples(const DataConfig& data, Split split) {
  return split == Split::Train ? data.examples_train : data.examples_valid;
}

SplitFiles number_texts(const Config& config, Split split) {
  const auto seed = static_cast<uint64_t>(config.seed);
  const int64_t count = examples(config.data, split);
  return written(config.data, fmt::format("number-text-{}-{}-{}", config.data.numbers_max, count, seed), split, false,
                 [&] {
                   return Lines{number_text(split, count, config.data.numbers_max, seed), {}};
                 });
}

SplitFiles labelled_numbers(const Config& config, Split split) {
  const DataConfig& d = config.data;
  const auto seed = static_cast<uint64_t>(config.seed);
  const int64_t count = examples(d, split);
  return written(d, fmt::format("number-pairs-{}-{}-{}", d.numbers_max, count, seed), split, true, [&] {
    LabelledPairs pairs = number_pairs_labelled(split, count, d.numbers_max, seed);
    Lines lines{{}, std::move(pairs.labels)};
    for (size_t i = 0; i < pairs.first.size(); ++i) lines.source.push_back(pairs.first[i] + '\t' + pairs.second[i]);
    return lines;
  });
}

SplitFiles headlines(const Config& config, Split split) {
  const auto seed = static_cast<uint64_t>(config.seed);
  const int64_t count = examples(config.data, split);
  return written(config.data, fmt::format("headline-{}-{}", count, seed), split, true, [&] {
    HeadlinePairs pairs = headline_pairs(split, count, seed);
    return Lines{std::move(pairs.articles), std::move(pairs.headlines)};
  });
}

// Whether the recordings of a list are those that were made: their digest was kept beside it.
bool are_intact(const std::string& list, const fs::path& digest, const fs::path& cache) {
  if (!is_intact(list) || !is_intact(digest)) return false;
  try {
    return digest_of_listed(list, cache) == file_content(digest);
  } catch (const UserError&) {
    return false;  // one of them is gone
  }
}

// The sound of each text as a file of its own.
SplitFiles morse_recordings(const Config& config, Split split) {
  const auto seed = static_cast<uint64_t>(config.seed);
  const int64_t count = examples(config.data, split);
  const std::string folder_name = fmt::format("morse-{}-{}", count, seed);
  const fs::path cache = config.data.cache, folder = fs::absolute(cache / folder_name);
  const fs::path list = folder / fmt::format("{}.source", name_of(split));
  const fs::path digest = folder / fmt::format("{}.digest", name_of(split));
  const auto record = [&] {
    Lines lines{{}, morse_examples(split, count, seed)};
    Progress progress(fmt::format("keying {} texts in Morse code", name_of(split)), lines.target.size());
    for (size_t i = 0; i < lines.target.size(); ++i) {
      const fs::path path = folder / fmt::format("{}-{}.wav", name_of(split), i);
      const auto sample = static_cast<uint64_t>(split) << 40 | i;
      write_wav(path, morse_audio(lines.target[i], seed, sample), kMorseRate);
      lines.source.push_back(path.string());
      progress.advance(1);
    }
    return lines;
  };
  const bool usable = are_intact(list.string(), digest, cache);
  SplitFiles files = written(config.data, folder_name, split, true, record, usable);
  if (!usable) write_checked(digest, digest_of_listed(files.source, cache));
  return files;
}

SplitFiles built_in(const Config& config, TaskRow::Shape shape, Split split) {
  switch (config.data.corpus) {
    case Corpus::Headline:
      return headlines(config, split);
    case Corpus::Morse:
      return morse_recordings(config, split);
    default:
      break;
  }
  if (shape == TaskRow::Shape::Text) return number_texts(config, split);
  if (shape == TaskRow::Shape::Labels) return labelled_numbers(config, split);
  return number_translations(config, split);
}

SplitFiles given(const DataConfig& data, Split split) {
  switch (split) {
    case Split::Train:
      return {data.train_source, data.train_target};
    case Split::Valid:
      return {data.valid_source, data.valid_target};
    default:
      return {data.test_source, data.test_target};
  }
}

// The columns of a table as two texts.
SplitFiles taken_apart(const DataConfig& data, const std::string& path, TaskRow::Shape shape, Split split) {
  if (path.empty()) return {};
  const bool labels = shape == TaskRow::Shape::Labels;
  std::vector<int> columns = {labels ? data.label_column : data.audio_column};
  columns.insert(columns.end(), data.text_columns.begin(),
                 labels ? data.text_columns.end() : data.text_columns.begin() + 1);
  const std::vector<TableRow> rows = read_table(path, {columns, data.split_column, std::string(name_of(split))});
  Lines lines;
  for (const TableRow& row : rows) {
    if (labels) {
      if (row.cells[0].find(' ') != std::string::npos) {
        throw UserError(row.where, fmt::format("the label '{}' is more than one word", row.cells[0]),
                        "Write labels without blanks, or set data.label_column");
      }
      lines.target.push_back(row.cells[0]);
      lines.source.push_back(row.cells[1] + (row.cells.size() > 2 ? '\t' + row.cells[2] : ""));
    } else {
      lines.source.push_back((fs::absolute(path).parent_path() / row.cells[0]).lexically_normal().string());
      lines.target.push_back(row.cells[1]);
    }
  }
  const std::string source = joined(lines.source), target = joined(lines.target);
  const std::string name = sha256_hex(source + '\0' + target).substr(0, 32);
  return written(data, "table-" + name, split, true, [&] { return lines; });
}

}  // namespace

void make_cache_folder(const fs::path& folder) {
  make_folder(folder, "Set data.cache to another folder");
}

CorpusFiles corpus_files(const Config& config) {
  const TaskRow::Shape shape = task_row(task_of(config)).shape;
  const auto split_files = [&](Split split) {
    if (config.data.corpus != Corpus::Text) return built_in(config, shape, split);
    const SplitFiles files = given(config.data, split);
    const bool table = shape == TaskRow::Shape::Labels || shape == TaskRow::Shape::Audio;
    return table ? taken_apart(config.data, files.source, shape, split) : files;
  };
  CorpusFiles files{split_files(Split::Train), split_files(Split::Valid), split_files(Split::Test)};
  if (config.data.swap && shape == TaskRow::Shape::Pairs) {
    for (SplitFiles* split : {&files.train, &files.valid, &files.test}) std::swap(split->source, split->target);
  }
  return files;
}

}  // namespace plumb
