#include "plumb/data/data_pieces.h"

#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/sha256.h"

namespace plumb {
namespace {

constexpr char kSourceVocabulary[] = "source vocabulary";
constexpr char kTargetVocabulary[] = "target vocabulary";
constexpr char kFrames[] = "frame statistics";

DataPiece vocabulary(const char* name, const TokenizerFiles& files, int64_t tokens) {
  std::string hashes;
  for (const std::string& file : {files.model, files.codes, files.dict}) {
    hashes += file.empty() ? "none" : sha256_of_file(file);
  }
  return {name, files.model.empty() ? files.dict : files.model, sha256_hex(hashes), tokens};
}

DataPiece text(const char* name, const PreparedSide& side, int64_t lines) {
  return {name, side.text, sha256_of_file(side.text), lines};
}

const char* unit_of(std::string_view name) {
  if (name.ends_with("vocabulary")) return "tokens";
  return name.ends_with("audio") ? "recordings" : "lines";
}

std::string in_words(const std::string& subject, const char* unit, int64_t before, int64_t after) {
  if (before == after) return fmt::format("{} has other {}", subject, unit);
  return fmt::format("{} had {} {}, has {}", subject, before, unit, after);
}

bool one_vocabulary(const nlohmann::json& pieces) {
  return pieces.value(kSourceVocabulary, nlohmann::json()) == pieces.value(kTargetVocabulary, nlohmann::json());
}

}  // namespace

std::vector<DataPiece> data_pieces(const Prepared& data, int64_t train_pairs, int64_t valid_pairs) {
  std::vector<DataPiece> pieces = {vocabulary(kSourceVocabulary, data.source_tokenizer, data.source_vocab),
                                   vocabulary(kTargetVocabulary, data.target_tokenizer, data.target_vocab)};
  const auto add = [&](const char* name, const PreparedSide& side, int64_t lines) {
    if (!side.text.empty()) pieces.push_back(text(name, side, lines));
  };
  const auto add_source = [&](const char* name, const char* as_audio, const PreparedSide& side, int64_t lines) {
    if (side.contents.empty()) return add(name, side, lines);
    pieces.push_back({as_audio, side.text, side.contents, lines});
  };
  add_source("training source", "training audio", data.train.source, train_pairs);
  add("training target", data.train.target, train_pairs);
  add_source("validation source", "validation audio", data.valid.source, valid_pairs);
  add("validation target", data.valid.target, valid_pairs);
  return pieces;
}

nlohmann::json pieces_to_json(const std::vector<DataPiece>& pieces) {
  nlohmann::json json = nlohmann::json::object();
  for (const DataPiece& piece : pieces) json[piece.name] = {{"sha256", piece.sha256}, {"count", piece.count}};
  return json;
}

std::vector<std::string> data_differences(const nlohmann::json& before, const std::vector<DataPiece>& after) {
  const bool joint = one_vocabulary(before) && one_vocabulary(pieces_to_json(after));
  std::vector<std::string> all;
  for (const DataPiece& piece : after) {
    const bool is_vocabulary = piece.name == kSourceVocabulary || piece.name == kTargetVocabulary;
    if (!before.contains(piece.name) || (joint && piece.name == kTargetVocabulary)) continue;
    const nlohmann::json& old = before[piece.name];
    if (old.at("sha256") == piece.sha256) continue;
    const std::string subject = is_vocabulary ? (joint ? "the vocabulary" : "the " + piece.name)
                                              : fmt::format("the {} ({})", piece.name, piece.file);
    all.push_back(in_words(subject, unit_of(piece.name), old.at("count"), piece.count));
  }
  return all;
}

std::vector<DataPiece> kept_statistics(const RunVocabulary& kept) {
  if (kept.frames.empty()) return {};
  return {{kFrames, kept.frames, sha256_of_file(kept.frames), 1}};
}

std::vector<std::string> vocabulary_differences(const nlohmann::json& before, const RunVocabulary& kept) {
  std::vector<DataPiece> now = {vocabulary(kSourceVocabulary, kept.source, 0),
                                vocabulary(kTargetVocabulary, kept.target, 0)};
  now.push_back(kept.frames.empty() ? DataPiece{kFrames, {}, {}, 0} : kept_statistics(kept).front());
  std::vector<std::string> all;
  for (const DataPiece& piece : now) {
    if (before.contains(piece.name) && before[piece.name].at("sha256") != piece.sha256) {
      all.push_back("the " + piece.name);
    }
  }
  return all;
}

}  // namespace plumb
