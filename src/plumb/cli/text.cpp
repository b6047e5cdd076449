// plumb text: text to ids and back. One part trains, the others use a tokeniser.

#include "plumb/cli/text.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "plumb/base/error.h"
#include "plumb/base/standard_files.h"
#include "plumb/base/to_stderr.h"
#include "plumb/cli/command_line.h"
#include "plumb/cli/front.h"
#include "plumb/config/suggestion.h"
#include "plumb/process/own_process.h"
#include "plumb/spm/spm_tokenizer.h"
#include "plumb/text/bpe_tokenizer.h"
#include "plumb/text/character_tokenizer.h"
#include "plumb/text/line_reader.h"
#include "plumb/text/lowercase_tokenizer.h"
#include "plumb/text/text_server.h"
#include "plumb/text/word_tokenizer.h"

namespace plumb {
namespace {

constexpr size_t kFlushAt = 64 * 1024;

// Which tokeniser: a SentencePiece model, a dictionary, or the files of a fairseq preparation.
struct Choice {
  std::string model, subwords = "subword_nmt";
  BpeFiles files;
  bool lowercase = false;

  void add_options(CLI::App& app) {
    CLI::Option* option = app.add_option("--model", model, "a SentencePiece .model file");
    app.add_option("--dict", files.dict, "instead: a dict.txt as fairseq's or of `plumb text dictionary`")
        ->excludes(option);
    app.add_option("--subwords", subwords, "what it lists: subword_nmt (text with @@, or --codes), word or character")
        ->check(CLI::IsMember({"subword_nmt", "word", "character"}))
        ->needs("--dict")
        ->capture_default_str();
    app.add_option("--codes", files.codes, "codes of subword-nmt learn-bpe")->needs("--dict");
    app.add_option("--vocabulary", files.vocabulary, "of subword-nmt get-vocab: take back merges that it lacks")
        ->needs("--codes");
    app.add_option("--vocabulary-threshold", files.vocabulary_threshold, "how often a token must occur in it")
        ->needs("--vocabulary");
    app.add_flag("--lowercase", lowercase, "turn text into lower case first");
  }

  std::unique_ptr<PieceTokenizer> open(const char* command) const {
    std::unique_ptr<PieceTokenizer> tokenizer = open_cased(command);
    if (!lowercase) return tokenizer;
    return std::make_unique<LowercaseTokenizer>(std::move(tokenizer));
  }

  /// Does the work of a command, which opens the tokeniser. A SentencePiece model may come from anywhere, and the
  /// library can crash on it: then only a copy of this process dies.
  int run(const std::function<int()>& work) const {
    if (model.empty()) return work();
    return survived([&] { return run_command(work); },
                    [&](int signal) {
                      throw DamagedFile(model, fmt::format("SentencePiece crashed on it (signal {})", signal),
                                        "Copy it again, or train it with plumb text train");
                    });
  }

  std::unique_ptr<PieceTokenizer> open_cased(const char* command) const {
    if (!model.empty()) return std::make_unique<SpmTokenizer>(model);
    if (files.dict.empty()) {
      throw UserError(command, "there is no tokeniser", "Give --model FILE, or --dict FILE and perhaps --codes FILE");
    }
    if (subwords == "subword_nmt") return std::make_unique<BpeTokenizer>(files);
    if (!files.codes.empty()) {
      throw UserError(command, fmt::format("--codes split words, and --subwords is {}", subwords), "Leave one out");
    }
    if (subwords == "word") return std::make_unique<WordTokenizer>(files.dict);
    return std::make_unique<CharacterTokenizer>(files.dict);
  }
};

// Each line of stdin becomes one line of stdout; bytes that are not text are replaced, so that lines still match.
template <class Function>
void for_each_line(const Function& function) {
  LineReader reader(standard_input("Give the lines: < FILE"), "stdin", {.bad_bytes = BadBytes::Replace});
  std::string ready;
  for (std::string line; reader.next(line);) {
    ready += function(line, reader.findings().lines);
    ready += '\n';
    if (ready.size() < kFlushAt && !reader.would_wait()) continue;
    print(ready);
    ready.clear();
  }
  print(ready);
  if (const uint64_t replaced = reader.findings().replaced; replaced > 0) {
    to_stderr("plumb: stdin: in {} of {} lines, bytes that are not UTF-8 text were replaced by U+FFFD\n", replaced,
              reader.findings().lines);
  }
}

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> parts;
  while (!line.empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    if (end > 0) parts.emplace_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return parts;
}

std::vector<int32_t> ids_of(std::string_view line, uint64_t number) {
  std::vector<int32_t> ids;
  for (const std::string& part : split(line)) {
    int32_t id = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), id);
    if (error != std::errc() || end != part.data() + part.size()) {
      throw UserError(fmt::format("stdin:{}", number), fmt::format("'{}' is not an id", part),
                      "Without --ids, pieces are read");
    }
    ids.push_back(id);
  }
  return ids;
}

struct Part {
  std::string_view name;
  int (*run)(int argc, char** argv);
  std::string_view summary;
};
constexpr Part kParts[] = {{"train", text_train, "train a SentencePiece model"},
                           {"dictionary", text_dictionary, "count words or characters into a dict.txt"},
                           {"encode", text_encode, "text to pieces or ids, line by line"},
                           {"decode", text_decode, "pieces or ids to text, line by line"},
                           {"vocab", text_vocab, "print the vocabulary as fairseq's dict.txt"},
                           {"serve", text_serve, "answer the engine's questions through a pipe"}};

}  // namespace

int text_encode(int argc, char** argv) {
  Choice choice;
  bool ids = false;
  CLI::App app("text on stdin to pieces on stdout, one line for each");
  choice.add_options(app);
  app.add_flag("--ids", ids, "print ids instead of pieces");
  app.footer("Example:\n  plumb text encode --model joint.model < test.en > test.pieces");
  if (!parse_arguments(app, argc, argv)) return 0;
  return choice.run([&] {
    const auto tokenizer = choice.open(argv[0]);
    for_each_line([&](const std::string& line, uint64_t) {
      return ids ? fmt::format("{}", fmt::join(tokenizer->encode(line), " "))
                 : fmt::format("{}", fmt::join(tokenizer->pieces(line), " "));
    });
    return 0;
  });
}

int text_decode(int argc, char** argv) {
  Choice choice;
  bool ids = false;
  CLI::App app("pieces on stdin to text on stdout, one line for each");
  choice.add_options(app);
  app.add_flag("--ids", ids, "stdin has ids instead of pieces");
  app.footer("Example:\n  plumb text decode --model joint.model < test.pieces > test.en");
  if (!parse_arguments(app, argc, argv)) return 0;
  return choice.run([&] {
    const auto tokenizer = choice.open(argv[0]);
    for_each_line([&](const std::string& line, uint64_t number) {
      return ids ? tokenizer->decode(ids_of(line, number)) : tokenizer->join(split(line));
    });
    return 0;
  });
}

int text_vocab(int argc, char** argv) {
  Choice choice;
  CLI::App app("print the vocabulary as fairseq's dict.txt: every token but the four specials, from id 4 on");
  choice.add_options(app);
  app.footer("Example:\n  plumb text vocab --model joint.model > dict.txt");
  if (!parse_arguments(app, argc, argv)) return 0;
  return choice.run([&] {
    print(fairseq_dictionary(*choice.open(argv[0])));
    return 0;
  });
}

int text_serve(int argc, char** argv) {
  Choice choice;
  CLI::App app("answer frames (src/plumb/text/frame.h) from stdin on stdout, until stdin ends");
  choice.add_options(app);
  app.footer("Example:\n  plumb text serve --model joint.model");
  if (!parse_arguments(app, argc, argv)) return 0;
  live_as_long_as_parent();
  return serve_text([&] { return choice.open(argv[0]); }, STDIN_FILENO, STDOUT_FILENO);
}

int text_command(int argc, char** argv) {
  std::string wanted;
  CLI::App app;
  std::string parts = "one of\n";
  std::vector<std::string_view> names;
  for (const Part& part : kParts) {
    names.push_back(part.name);
    parts += fmt::format("{:10} {}\n", part.name, part.summary);
  }
  app.add_option("PART", wanted, parts + "plumb text PART --help shows its arguments")->required();
  if (argc < 2 || std::string_view(argv[1]).starts_with('-')) return parse_arguments(app, argc, argv) ? 1 : 0;

  const auto part = std::ranges::find(kParts, std::string_view(argv[1]), &Part::name);
  if (part == std::end(kParts)) {
    throw UserError("text", fmt::format("there is no part {}", argv[1]),
                    fmt::format("{}The parts are {}", did_you_mean(argv[1], names), fmt::join(names, ", ")));
  }
  std::string name = fmt::format("text {}", part->name);
  std::vector<char*> arguments{name.data()};
  arguments.insert(arguments.end(), argv + 2, argv + argc);
  arguments.push_back(nullptr);
  return part->run(argc - 1, arguments.data());
}

}  // namespace plumb
