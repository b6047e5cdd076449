#include "plumb/data/token_file.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "plumb/base/atomic_file.h"
#include "plumb/base/error.h"
#include "plumb/base/file_descriptor.h"
#include "plumb/base/sha256.h"

namespace plumb {
namespace {

constexpr char kMagic[8] = {'P', 'L', 'U', 'M', 'B', 'T', 'K', '1'};
constexpr size_t kHex = 64;

struct Header {
  char magic[8];
  uint64_t sentences;
  uint64_t tokens;
  char fingerprint[kHex];
  char checksum[kHex];
};
static_assert(sizeof(Header) == 8 + 16 + 2 * kHex);

template <class T>
std::string_view bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

[[noreturn]] void damaged(const std::filesystem::path& path, const std::string& problem) {
  throw DamagedFile(path.string(), problem, "Delete it; it is made again from the text");
}

// Overflow-safe: the counts come from the file.
bool right_size(const Header& header, uint64_t bytes) {
  const uint64_t most = bytes / sizeof(int32_t);
  if (header.sentences > most || header.tokens > most) return false;
  return bytes == sizeof(Header) + (header.sentences + 1) * sizeof(uint64_t) + header.tokens * sizeof(int32_t);
}

}  // namespace

TokenFile::TokenFile(const std::filesystem::path& path) {
  uint64_t size = 0;
  const FileDescriptor file = open_to_read(path, &size);
  if (size < sizeof(Header)) damaged(path, "is too short to be a token file");
  bytes_ = static_cast<size_t>(size);
  map_ = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (map_ == MAP_FAILED) {
    map_ = nullptr;
    throw DiskError(path.string(), "cannot be mapped into memory", "See that the file can be read");
  }
  const auto* header = static_cast<const Header*>(map_);
  const char* payload = static_cast<const char*>(map_) + sizeof(Header);
  std::string problem;
  if (std::memcmp(header->magic, kMagic, sizeof kMagic) != 0) {
    problem = "is not a token file";
  } else if (!right_size(*header, size)) {
    problem = "is truncated or longer than its header says";
  } else if (sha256_hex({payload, bytes_ - sizeof(Header)}) != std::string_view(header->checksum, kHex)) {
    problem = "does not have the checksum that it should";
  }
  if (problem.empty()) {
    sentences_ = static_cast<int64_t>(header->sentences);
    tokens_ = static_cast<int64_t>(header->tokens);
    offsets_ = reinterpret_cast<const uint64_t*>(payload);
    // A checksum tells of accidents, not of intent: what indexes memory is looked at too.
    const bool ascending = std::is_sorted(offsets_, offsets_ + sentences_ + 1);
    if (!ascending || offsets_[0] != 0 || offsets_[sentences_] != header->tokens) problem = "has impossible offsets";
  }
  if (!problem.empty()) {
    release();
    damaged(path, problem);
  }
  fingerprint_.assign(header->fingerprint, kHex);
  ids_ = reinterpret_cast<const int32_t*>(offsets_ + sentences_ + 1);
}

TokenFile::TokenFile(TokenFile&& other) noexcept {
  *this = std::move(other);
}

TokenFile& TokenFile::operator=(TokenFile&& other) noexcept {
  std::swap(map_, other.map_);
  std::swap(bytes_, other.bytes_);
  std::swap(sentences_, other.sentences_);
  std::swap(tokens_, other.tokens_);
  std::swap(fingerprint_, other.fingerprint_);
  std::swap(offsets_, other.offsets_);
  std::swap(ids_, other.ids_);
  return *this;
}

TokenFile::~TokenFile() {
  release();
}

void TokenFile::release() {
  if (map_) munmap(map_, bytes_);
  map_ = nullptr;
}

std::span<const int32_t> TokenFile::operator[](int64_t sentence) const {
  const uint64_t begin = offsets_[sentence], end = offsets_[sentence + 1];
  return {ids_ + begin, static_cast<size_t>(end - begin)};
}

void TokenFileWriter::add(std::span<const int32_t> sentence) {
  ids_.insert(ids_.end(), sentence.begin(), sentence.end());
  offsets_.push_back(ids_.size());
}

void TokenFileWriter::write(const std::filesystem::path& path, const std::string& fingerprint) const {
  Sha256 checksum;
  checksum.update(bytes_of(offsets_));
  checksum.update(bytes_of(ids_));
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.sentences = offsets_.size() - 1;
  header.tokens = ids_.size();
  fingerprint.copy(header.fingerprint, kHex);
  checksum.hex_digest().copy(header.checksum, kHex);
  AtomicFile file(path);
  file.write(std::string_view(reinterpret_cast<const char*>(&header), sizeof header));
  file.write(bytes_of(offsets_));
  file.write(bytes_of(ids_));
  file.commit();
}

bool is_cached(const std::filesystem::path& path, const std::string& fingerprint) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return false;
  try {
    return TokenFile(path).fingerprint() == fingerprint;
  } catch (const Error&) {
    return false;  // what cannot be used is made again
  }
}

}  // namespace plumb
