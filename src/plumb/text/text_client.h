#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/process/front_process.h"
#include "plumb/text/tokenizer.h"

namespace plumb {

/// A SentencePiece model as a Tokenizer for programs that cannot load SentencePiece: it starts
/// `plumb text serve --model FILE` and asks it through a pipe (the frames of frame.h). The child ignores the signals of
/// the terminal and ends with this process. Its errors are thrown here, in its words; if the model makes SentencePiece
/// crash, only the child dies of it, and that is a DamagedFile which names the model.
///
/// One call costs about 20 microseconds besides the work: use encode_lines for a corpus. Calls from several threads
/// take turns.
class PipedTokenizer : public Tokenizer {
 public:
  /// `plumb` is the program to start; empty: the one that find_front() finds.
  explicit PipedTokenizer(const std::string& model, const std::filesystem::path& plumb = {});

  std::vector<int32_t> encode(std::string_view line) const override;
  std::string decode(std::span<const int32_t> ids) const override;
  std::vector<std::vector<int32_t>> encode_lines(std::span<const std::string> lines) const override;
  std::vector<std::string> decode_lines(std::span<const std::vector<int32_t>> lines) const override;
  int32_t size() const override { return size_; }
  std::vector<std::string> vocabulary() const override;
  std::string fingerprint() const override { return fingerprint_; }

 private:
  std::string ask(std::string_view request) const;

  std::string model_;
  mutable std::mutex mutex_;
  mutable FrontProcess process_;
  int32_t size_ = 0;
  std::string fingerprint_;
};

}  // namespace plumb
