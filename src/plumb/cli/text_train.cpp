// plumb text train: a SentencePiece model from text.

#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/base/to_stderr.h"
#include "plumb/cli/command_line.h"
#include "plumb/cli/text.h"
#include "plumb/spm/spm_tokenizer.h"
#include "plumb/spm/spm_trainer.h"

namespace plumb {

int text_train(int argc, char** argv) {
  std::vector<std::string> inputs;
  std::string model, cache;
  SpmOptions options;
  CLI::App app("train a SentencePiece model from text, one sentence per line");
  app.add_option("--input", inputs, "text files, plain or gzip")->required();
  CLI::Option* to_model = app.add_option("--model", model, "the .model file to write");
  app.add_option("--cache", cache, "a directory of models: take the one of this text and these options, or add it")
      ->excludes(to_model);
  app.add_option("--type", options.type, "bpe or unigram")->capture_default_str();
  app.add_option("--vocab-size", options.vocab_size, "ids, the four specials included; a small text gives fewer")
      ->capture_default_str();
  app.add_option("--character-coverage", options.character_coverage, "share of the characters that get an id")
      ->capture_default_str();
  app.add_flag("--byte-fallback", options.byte_fallback, "spell other characters in bytes (256 ids)");
  app.add_option("--normalization", options.normalization, "nmt_nfkc, nfkc, nmt_nfkc_cf, nfkc_cf or identity")
      ->capture_default_str();
  app.add_option("--input-sentence-size", options.input_sentence_size, "train on so many lines, drawn; 0: on all")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "which lines are drawn")->capture_default_str();
  app.footer(
      "Writes the name of the model to stdout.\n\nExample:\n  plumb text train --input train.en train.de --model "
      "joint.model --vocab-size 8000");
  if (!parse_arguments(app, argc, argv)) return 0;
  if (model.empty() && cache.empty()) throw UserError(argv[0], "nowhere to write", "Give --model FILE or --cache DIR");

  if (cache.empty()) {
    train_spm_file(inputs, options, model);
  } else {
    model = cached_model(cache, inputs, options).string();
  }
  to_stderr("{} ids\n", SpmTokenizer(model).size());
  print(model + "\n");
  return 0;
}

}  // namespace plumb
