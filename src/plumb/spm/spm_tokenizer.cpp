#include "plumb/spm/spm_tokenizer.h"

#include <algorithm>

#include <fmt/format.h>
#include <sentencepiece_processor.h>

#include "plumb/base/error.h"
#include "plumb/base/file_descriptor.h"
#include "plumb/base/sha256.h"
#include "plumb/spm/model_check.h"
#include "plumb/text/utf8.h"

namespace plumb {
namespace {

constexpr std::string_view kSpace = "\xE2\x96\x81";  // U+2581, how SentencePiece writes a space
constexpr size_t kPart = 8 * 1024;                   // bytes of a line, or ids, that are handled at once
constexpr size_t kAround = 16;                       // bytes of a line that tell what stands at a place

std::string content_of(const std::string& path) {
  uint64_t size = 0;
  const FileDescriptor file = open_to_read(path, &size);
  std::string content(size, '\0');
  content.resize(read_at(file, path, std::as_writable_bytes(std::span(content)), 0));
  return content;
}

[[noreturn]] void fail_as_damaged(const std::string& path, const std::string& problem) {
  throw DamagedFile(path, problem, "Copy it again, or train it with plumb text train");
}

void check(const sentencepiece::util::Status& status, const std::string& path) {
  if (!status.ok()) fail_as_damaged(path, fmt::format("SentencePiece cannot use it ({})", status.error_message()));
}

// Where the line can be cut after `from`: at a space with a word on either side, which stands for the mark that the
// next part would get anyway. npos if nowhere.
size_t next_cut(std::string_view line, size_t from) {
  for (size_t at = line.find(' ', from); at != std::string_view::npos; at = line.find(' ', at + 1)) {
    if (at > 0 && line[at - 1] != ' ' && at + 1 < line.size() && line[at + 1] != ' ') return at;
  }
  return std::string_view::npos;
}

// The beginning of the character that the byte at `at` belongs to.
size_t character_at(std::string_view text, size_t at) {
  size_t begin = at;
  while (begin > 0 && at - begin < 3 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
  return begin + code_point_length(text, begin) > at ? begin : at;
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

}  // namespace

SpmTokenizer::SpmTokenizer(const std::string& path)
    : path_(path), processor_(std::make_unique<sentencepiece::SentencePieceProcessor>()) {
  const std::string content = content_of(path);
  fingerprint_ = sha256_hex(content);
  if (const std::string problem = spm_model_problem(content); !problem.empty()) fail_as_damaged(path, problem);
  const bool loaded = processor_->LoadFromSerializedProto(content).ok();
  if (!loaded || processor_->GetPieceSize() == 0 || processor_->unk_id() < 0) {
    fail_as_damaged(path, "is not a SentencePiece model");
  }
  number_pieces();
  unknown_ = {processor_->PieceToId(std::string(kSpace)), processor_->unk_id()};
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
  std::vector<int> one = encode_part<int>("a"), both = one;
  both.insert(both.end(), one.begin(), one.end());
  return encode_part<int>("a a") == both && decode_part(one).find(' ') == std::string::npos;
}

template <class Token>
std::vector<Token> SpmTokenizer::encode_part(std::string_view part) const {
  std::vector<Token> tokens;
  check(processor_->Encode(part, &tokens), path_);
  return tokens;
}

bool SpmTokenizer::is_unknown(std::string_view text) const {
  return encode_part<int>(text) == unknown_;
}

// Where unknown characters stand on both sides, alone and together (what combines with its neighbour may be known); the
// end if nowhere.
size_t SpmTokenizer::cut_among_unknown(std::string_view part) const {
  for (size_t from = kPart; from < part.size(); from += kPart) {
    const size_t at = character_at(part, from), begin = character_at(part, at - kAround);
    const size_t end = at + kAround < part.size() ? character_at(part, at + kAround) : part.size();
    const std::string_view around = part.substr(begin, end - begin);
    if (is_unknown(around) && is_unknown(around.substr(0, at - begin)) && is_unknown(around.substr(at - begin))) {
      return at;
    }
  }
  return part.size();
}

// A run of unknown characters is one unknown token, and SentencePiece takes the square of its length to make it: an
// hour for megabytes of another script without spaces. So such a run is cut, and what the cut adds is taken away again:
// the mark of a space and a second token.
template <class Token>
void SpmTokenizer::append_part(std::string_view part, std::vector<Token>& all) const {
  for (bool inside = false; !part.empty(); inside = true) {
    const size_t cut = cut_among_unknown(part);
    std::vector<Token> next = encode_part<Token>(part.substr(0, cut));
    if (inside && next.size() >= 2) {
      if constexpr (std::is_same_v<Token, std::string>) all.back() += next[1];
      next.erase(next.begin(), next.begin() + 2);
    }
    std::ranges::move(next, std::back_inserter(all));
    part.remove_prefix(cut);
  }
}

template <class Token>
std::vector<Token> SpmTokenizer::tokens(std::string_view line) const {
  if (!can_cut_) return encode_part<Token>(line);
  std::vector<Token> all;
  in_parts(line, [&](std::string_view part) { append_part(part, all); });
  return all;
}

std::vector<int32_t> SpmTokenizer::encode(std::string_view line) const {
  std::vector<int32_t> ids = tokens<int>(line);
  for (int32_t& id : ids) id = our_id_[static_cast<size_t>(id)];
  return ids;
}

std::vector<std::string> SpmTokenizer::pieces(std::string_view line) const {
  return tokens<std::string>(line);
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
