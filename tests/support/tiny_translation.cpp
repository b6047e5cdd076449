#include "support/tiny_translation.h"

#include <vector>

#include "support/prepared_text.h"

namespace plumb {
namespace {

constexpr int32_t kWords = 16;

/// Lines that differ in length and words; the target reads the source backwards.
std::vector<std::vector<int32_t>> lines(int32_t count, int32_t first, bool backwards) {
  std::vector<std::vector<int32_t>> all;
  for (int32_t line = first; line < first + count; ++line) {
    std::vector<int32_t> words;
    for (int32_t i = 0; i < 1 + line * 7 % 6; ++i) words.push_back(4 + (line * 5 + i * 3) % (kWords - 4));
    if (backwards) words.assign(words.rbegin(), words.rend());
    all.push_back(words);
  }
  return all;
}

}  // namespace

TinyTranslation::TinyTranslation() {
  const PreparedText source = prepared_text(folder, lines(60, 0, false), kWords, "train.en");
  const PreparedText target = prepared_text(folder, lines(60, 0, true), kWords, "train.de");
  data.source_tokenizer = source.vocabulary.source;
  data.target_tokenizer = target.vocabulary.target;
  data.source_vocab = data.target_vocab = kWords;
  data.train = {source.side, target.side};
  data.valid = {prepared_text(folder, lines(8, 60, false), kWords, "valid.en").side,
                prepared_text(folder, lines(8, 60, true), kWords, "valid.de").side};
  data.fingerprint = "tiny";

  config.model.width = 16;
  config.model.heads = 2;
  config.model.ffn_width = 24;
  config.model.encoder_layers = config.model.decoder_layers = 1;
  config.model.source_vocab = config.model.target_vocab = kWords;
  config.model.max_positions = 16;
  config.model.dropout = 0.1;
  config.data.subwords = Subwords::Word;
  config.train.max_tokens = 30;
  config.train.max_update = 12;
  config.train.tensorboard = false;
  config.optim.lr = 1e-2;
  config.schedule.name = "constant";
  config.schedule.warmup_updates = 0;
}

}  // namespace plumb
