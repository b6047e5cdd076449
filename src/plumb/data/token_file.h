#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace plumb {

/// A tokenised corpus on disk: the ids of every sentence, one after another, read through a memory map, so that memory
/// does not grow with the corpus and a second start is instant.
///
///     "PLUMBTK1"  u64 sentences  u64 tokens  64 bytes fingerprint (hex)  64 bytes SHA-256 of what follows (hex)
///     u64 offsets[sentences + 1]   i32 ids[tokens]
///
/// All numbers are little-endian. The fingerprint names the inputs: text, tokeniser and options. A file with another
/// fingerprint, size or checksum is not used.
class TokenFile {
 public:
  /// Maps the file. Throws DamagedFile if it is not whole, UserError if it is not there.
  explicit TokenFile(const std::filesystem::path& path);
  TokenFile(TokenFile&& other) noexcept;
  TokenFile& operator=(TokenFile&& other) noexcept;
  TokenFile(const TokenFile&) = delete;
  ~TokenFile();

  int64_t sentences() const { return sentences_; }
  int64_t tokens() const { return tokens_; }
  const std::string& fingerprint() const { return fingerprint_; }
  std::span<const int32_t> operator[](int64_t sentence) const;

 private:
  void release();

  void* map_ = nullptr;
  size_t bytes_ = 0;
  int64_t sentences_ = 0, tokens_ = 0;
  std::string fingerprint_;
  const uint64_t* offsets_ = nullptr;
  const int32_t* ids_ = nullptr;
};

/// Collects a corpus and writes it whole or not at all.
class TokenFileWriter {
 public:
  void add(std::span<const int32_t> sentence);
  void write(const std::filesystem::path& path, const std::string& fingerprint) const;

 private:
  std::vector<uint64_t> offsets_{0};
  std::vector<int32_t> ids_;
};

/// Whether a whole file with this fingerprint is there: what a start looks at before it tokenises anything.
bool is_cached(const std::filesystem::path& path, const std::string& fingerprint);

}  // namespace plumb
