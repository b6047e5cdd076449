// plumb text dictionary: a dict.txt of the words or characters of text.

#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "plumb/base/to_stderr.h"
#include "plumb/cli/command_line.h"
#include "plumb/cli/text.h"
#include "plumb/text/dictionary_builder.h"

namespace plumb {

int text_dictionary(int argc, char** argv) {
  std::vector<std::string> inputs;
  std::string output, subwords = "word";
  DictionaryOptions options;
  CLI::App app("count the words or characters of text into a dict.txt, the most frequent first");
  app.add_option("--input", inputs, "text files, plain or gzip")->required();
  app.add_option("--output", output, "the dict.txt to write")->required();
  app.add_option("--subwords", subwords, "word (between white space) or character")
      ->check(CLI::IsMember({"word", "character"}))
      ->capture_default_str();
  app.add_option("--vocab-size", options.size, "ids at most, the four specials included; 0: as many as there are")
      ->capture_default_str();
  app.add_option("--min-count", options.min_count, "how often a token must occur")->capture_default_str();
  app.add_flag("--lowercase", options.lowercase, "count what is left in lower case");
  app.footer(
      "Writes the name of the dictionary to stdout.\n\nExample:\n  plumb text dictionary --input train.txt --output "
      "dict.txt --min-count 3");
  if (!parse_arguments(app, argc, argv)) return 0;

  const int32_t size = (subwords == "word" ? build_dictionary : build_character_dictionary)(inputs, output, options);
  to_stderr("{} ids\n", size);
  print(output + "\n");
  return 0;
}

}  // namespace plumb
