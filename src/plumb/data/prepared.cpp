#include "plumb/data/prepared.h"

#include <nlohmann/json.hpp>

#include "plumb/base/error.h"

namespace plumb {
namespace {

constexpr char kContents[] = "contents";  // of a side; sweeps of older versions have data.json without it

// Each struct lists its fields once, for both directions.
template <class Files, class Visit>
void fields(Files& p, Visit&& visit) requires std::is_same_v<std::remove_const_t<Files>, TokenizerFiles> {
  visit("model", p.model);
  visit("codes", p.codes);
  visit("dict", p.dict);
}
template <class Side, class Visit>
void fields(Side& p, Visit&& visit) requires std::is_same_v<std::remove_const_t<Side>, PreparedSide> {
  visit("text", p.text);
  visit("tokens", p.tokens);
  visit(kContents, p.contents);
}
template <class Split, class Visit>
void fields(Split& p, Visit&& visit) requires std::is_same_v<std::remove_const_t<Split>, PreparedSplit> {
  visit("source", p.source);
  visit("target", p.target);
}
template <class All, class Visit>
void fields(All& p, Visit&& visit) requires std::is_same_v<std::remove_const_t<All>, Prepared> {
  visit("source_tokenizer", p.source_tokenizer);
  visit("target_tokenizer", p.target_tokenizer);
  visit("source_vocab", p.source_vocab);
  visit("target_vocab", p.target_vocab);
  visit("source_rate", p.source_rate);
  visit("train", p.train);
  visit("valid", p.valid);
  visit("test", p.test);
  visit("fingerprint", p.fingerprint);
}

template <class T>
nlohmann::ordered_json write(const T& value) {
  if constexpr (std::is_same_v<T, std::string> || std::is_arithmetic_v<T>) {
    return value;
  } else {
    nlohmann::ordered_json object;
    fields(value, [&](const char* name, const auto& field) { object[name] = write(field); });
    return object;
  }
}

template <class T>
void read(const nlohmann::ordered_json& json, T& value) {
  if constexpr (std::is_same_v<T, std::string> || std::is_arithmetic_v<T>) {
    value = json.get<T>();
  } else {
    fields(value, [&](const char* name, auto& field) {
      if (name != kContents || json.contains(name)) read(json.at(name), field);
    });
  }
}

}  // namespace

std::string to_json(const Prepared& prepared) {
  try {
    return write(prepared).dump(2) + '\n';
  } catch (const nlohmann::json::type_error&) {  // the only text of it that is not ours
    throw UserError("prepare", "the path of a corpus or vocabulary is not UTF-8 text", "Rename the file or folder");
  }
}

Prepared prepared_from_json(const std::string& text) {
  Prepared prepared;
  read(nlohmann::ordered_json::parse(text), prepared);
  return prepared;
}

}  // namespace plumb
