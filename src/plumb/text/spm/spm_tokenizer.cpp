#include "plumb/text/spm/spm_tokenizer.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>
#include <sentencepiece_processor.h>

#include "plumb/base/error.h"
#include "plumb/base/file_descriptor.h"
#include "plumb/base/sha256.h"

namespace plumb {
namespace {

constexpr std::string_view kSpace = "\xE2\x96\x81";  // U+2581, how SentencePiece writes a space
constexpr size_t kPart = 8 * 1024;                   // bytes of a line, or ids, that are handled at once

std::string content_of(const std::string& path) {
  uint64_t size = 0;
  const FileDescriptor file = open_to_read(path, &size);
  std::string content(size, '\0');
  content.resize(read_at(file, path, std::as_writable_bytes(std::span(content)), 0));
  return content;
}

void check(const sentencepiece::util::Status& status, const std::string& path) {
  if (!status.ok()) throw std::runtime_error(fmt::format("{}: SentencePiece: {}", path, status.ToString()));
}

// Where the line can be cut after `from`: at a space with a word on either side, which stands for the mark that the
// next part would get anyway. npos if nowhere.
size_t next_cut(std::string_view line, size_t from) {
  for (size_t at = line.find(' ', from); at != std::string_view::npos; at = line.find(' ', at + 1)) {
    if (at > 0 && line[at - 1] != ' ' && at + 1 < line.size() && line[at + 1] != ' ') return at;
  }
  return std::string_view::npos;
}

// Calls `use` with the parts of the line, in order.
template <class Use>
void in_parts(std::string_view line, const Use& use) {
  for (size_t cut = 0; line.size() > kPart && (cut = next_cut(line, kPart)) != std::string_view::npos;) {
    use(line.substr(0, cut));
    line.remove_prefix(cut + 1);
  }
  use(line);
}

// Reads a number of protobuf's wire format (7 bits a byte, low ones first) off the front of `bytes`.
uint64_t take_number(std::string_view& bytes) {
  uint64_t number = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) break;
  }
  return number;
}

// A model that is cut between two of its fields is still a protobuf, with fewer pieces or without its normalisation.
// They stand in the order pieces (1), trainer (2), normaliser (3), all with a length: if the last is there, all are.
bool is_whole(std::string_view bytes) {
  constexpr uint64_t kWithLength = 2, kNormalizer = 3;
  while (!bytes.empty()) {
    const uint64_t key = take_number(bytes), length = take_number(bytes);
    if ((key & 7) != kWithLength || length > bytes.size()) return false;
    if (key >> 3 == kNormalizer) return true;
    bytes.remove_prefix(length);
  }
  return false;
}

}  // namespace

SpmTokenizer::SpmTokenizer(const std::string& path)
    : path_(path), processor_(std::make_unique<sentencepiece::SentencePieceProcessor>()) {
  const std::string content = content_of(path);
  fingerprint_ = sha256_hex(content);
  const bool loaded = is_whole(content) && processor_->LoadFromSerializedProto(content).ok();
  if (!loaded || processor_->GetPieceSize() == 0 || processor_->unk_id() < 0) {
    throw DamagedFile(path, "is not a SentencePiece model", "Copy it again, or train it with plumb text train");
  }
  number_pieces();
  can_cut_ = words_are_independent();
}

SpmTokenizer::~SpmTokenizer() = default;

void SpmTokenizer::number_pieces() {
  model_id_ = {processor_->bos_id(), processor_->pad_id(), processor_->eos_id(), processor_->unk_id()};
  our_id_.assign(static_cast<size_t>(processor_->GetPieceSize()), -1);
  for (int32_t id = 0; id < kSpecials; ++id) {
    if (model_id_[static_cast<size_t>(id)] >= 0) our_id_[static_cast<size_t>(model_id_[static_cast<size_t>(id)])] = id;
  }
  for (size_t id = 0; id < our_id_.size(); ++id) {
    if (our_id_[id] >= 0) continue;
    our_id_[id] = size();
    model_id_.push_back(static_cast<int>(id));
  }
}

// Long lines are handled in parts, because SentencePiece takes a hundred bytes per byte and slows down with them. That
// changes nothing if no piece reaches over a space and every line gets a space in front, as is usual.
bool SpmTokenizer::words_are_independent() const {
  for (int id = 0; id < processor_->GetPieceSize(); ++id) {
    if (processor_->IdToPiece(id).rfind(kSpace) + 1 > 1) return false;  // npos + 1 is 0
  }
  std::vector<int> one = encode_part("a"), both = one;
  both.insert(both.end(), one.begin(), one.end());
  return encode_part("a a") == both && decode_part(one).find(' ') == std::string::npos;
}

std::vector<int> SpmTokenizer::encode_part(std::string_view part) const {
  std::vector<int> ids;
  check(processor_->Encode(part, &ids), path_);
  return ids;
}

std::vector<int32_t> SpmTokenizer::encode(std::string_view line) const {
  std::vector<int32_t> ids;
  const auto use = [&](std::string_view part) {
    for (const int id : encode_part(part)) ids.push_back(our_id_[static_cast<size_t>(id)]);
  };
  if (can_cut_) {
    in_parts(line, use);
  } else {
    use(line);
  }
  return ids;
}

std::vector<std::string> SpmTokenizer::pieces(std::string_view line) const {
  std::vector<std::string> all;
  const auto use = [&](std::string_view part) {
    std::vector<std::string> pieces;
    check(processor_->Encode(part, &pieces), path_);
    std::ranges::move(pieces, std::back_inserter(all));
  };
  if (can_cut_) {
    in_parts(line, use);
  } else {
    use(line);
  }
  return all;
}

std::string SpmTokenizer::decode_part(std::span<const int> ids) const {
  std::string text;
  check(processor_->Decode(std::vector<int>(ids.begin(), ids.end()), &text), path_);
  return text;
}

std::string SpmTokenizer::decode(std::span<const int32_t> ids) const {
  std::vector<int> kept;
  kept.reserve(ids.size());
  for (const int32_t id : ids) {
    check_id(id, size());
    if (id != kBos && id != kPad && id != kEos) kept.push_back(model_id_[static_cast<size_t>(id)]);
  }
  std::string text;
  const auto begins_word = [&](size_t i) {
    const std::string& piece = processor_->IdToPiece(kept[i]);
    return piece.size() > kSpace.size() && piece.starts_with(kSpace);
  };
  for (size_t begin = 0; begin < kept.size();) {
    size_t end = can_cut_ ? std::min(begin + kPart, kept.size()) : kept.size();
    while (end < kept.size() && !begins_word(end)) ++end;
    if (begin > 0) text += ' ';
    text += decode_part(std::span(kept).subspan(begin, end - begin));
    begin = end;
  }
  std::ranges::replace(text, '\n', ' ');  // byte pieces can spell it, but a line is one line
  return text;
}

std::string SpmTokenizer::join(std::span<const std::string> pieces) const {
  std::string text;
  check(processor_->Decode(std::vector<std::string>(pieces.begin(), pieces.end()), &text), path_);
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::vector<std::string> SpmTokenizer::vocabulary() const {
  std::vector<std::string> tokens{"<s>", "<pad>", "</s>", "<unk>"};
  for (size_t id = kSpecials; id < model_id_.size(); ++id) tokens.push_back(processor_->IdToPiece(model_id_[id]));
  return tokens;
}

std::string fairseq_dictionary(const Tokenizer& tokenizer) {
  const std::vector<std::string> tokens = tokenizer.vocabulary();
  std::string text;
  for (size_t id = kSpecials; id < tokens.size(); ++id) text += fmt::format("{} 1\n", tokens[id]);
  return text;
}

}  // namespace plumb
