#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/text/tokenizer.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace plumb {

/// A SentencePiece model, ours or anybody's. Models order their special pieces as they like (the default is unk, bos,
/// eos and no pad); here the ids are always bos, pad, eos, unk and then the other pieces in the model's order, which is
/// also what fairseq makes of a model. For a model that train_spm wrote, ids are SentencePiece's own.
class SpmTokenizer : public PieceTokenizer {
 public:
  /// UserError if there is no such file, DamagedFile if it is not a model.
  explicit SpmTokenizer(const std::string& path);
  ~SpmTokenizer() override;

  std::vector<int32_t> encode(std::string_view line) const override;
  std::string decode(std::span<const int32_t> ids) const override;
  std::vector<std::string> pieces(std::string_view line) const override;
  std::string join(std::span<const std::string> pieces) const override;
  int32_t size() const override { return static_cast<int32_t>(model_id_.size()); }
  std::vector<std::string> vocabulary() const override;
  std::string fingerprint() const override { return fingerprint_; }

 private:
  void number_pieces();
  bool words_are_independent() const;
  bool is_unknown(std::string_view text) const;
  size_t cut_among_unknown(std::string_view part) const;
  template <class Token>
  std::vector<Token> tokens(std::string_view line) const;
  template <class Token>
  void append_part(std::string_view part, std::vector<Token>& all) const;
  template <class Token>
  std::vector<Token> encode_part(std::string_view part) const;
  std::string decode_part(std::span<const int> ids) const;

  std::string path_;
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
  std::vector<int> model_id_;    // by our id; -1 if the model has no such special
  std::vector<int32_t> our_id_;  // by the model's id
  std::vector<int> unknown_;     // the model's ids of a line of unknown characters
  bool can_cut_ = false;
  std::string fingerprint_;
};

/// fairseq's dict.txt for a tokeniser: its vocabulary without the specials, each with a count of 1.
std::string fairseq_dictionary(const Tokenizer& tokenizer);

}  // namespace plumb
