#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "plumb/data/prepared.h"
#include "plumb/data/run_vocabulary.h"

namespace plumb {

/// One of the things that a run reads, by its content. The fingerprint of Prepared tells that something changed; the
/// pieces tell what.
struct DataPiece {
  std::string name;  // "training source", "target vocabulary"
  std::string file;
  std::string sha256;
  int64_t count = 0;  // lines or tokens
};

/// The two vocabularies, then the texts; in the place of a list of recordings what they hold. Hashes every text.
std::vector<DataPiece> data_pieces(const Prepared& data, int64_t train_pairs, int64_t valid_pairs);

/// What a checkpoint keeps: hash and count by name.
nlohmann::json pieces_to_json(const std::vector<DataPiece>& pieces);

/// In words: "the training source (a.en) had 90 lines, has 91". `before` is what pieces_to_json() made; a piece that it
/// does not have is passed over.
std::vector<std::string> data_differences(const nlohmann::json& before, const std::vector<DataPiece>& after);

/// What a run keeps in its vocabulary folder besides vocabularies: the statistics of the frames, if it has them.
std::vector<DataPiece> kept_statistics(const RunVocabulary& vocabulary);

/// Which of the files that a run keeps in its vocabulary folder have another content than `before` says, in words; a
/// piece that it does not have is passed over. Hashes the files.
std::vector<std::string> vocabulary_differences(const nlohmann::json& before, const RunVocabulary& vocabulary);

}  // namespace plumb
