#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/config/setting.h"

namespace plumb::reproduce {

/// A table of a TOML file, with tables inside, for the one who knows its keys. Every mistake is a UserError that names
/// file, line and key.
class TomlTable {
 public:
  explicit TomlTable(const std::filesystem::path& file);

  /// Refuses every key that is not one of these, with the nearest.
  void allow_only(std::initializer_list<std::string_view> keys) const;

  std::string text(std::string_view key) const;  // "" if it is not there
  std::string required_text(std::string_view key) const;
  double number(std::string_view key, double otherwise) const;
  std::vector<std::string> texts(std::string_view key) const;
  TomlTable table(std::string_view key) const;  // empty if it is not there
  std::vector<TomlTable> tables(std::string_view key) const;

  /// "reproduce/liu/L-T1.toml:7 expect[0].rule", for errors of the caller.
  std::string where(std::string_view key) const;

 private:
  using Leaves = std::shared_ptr<const std::vector<Setting>>;
  TomlTable(Leaves leaves, std::string file, std::string prefix)
      : leaves_(std::move(leaves)), file_(std::move(file)), prefix_(std::move(prefix)) {}

  const Setting* find(std::string_view key) const;

  Leaves leaves_;  // of the whole file, with their whole paths as keys
  std::string file_;
  std::string prefix_;  // of this table: "desk.probe[0]."
};

}  // namespace plumb::reproduce
