#pragma once

#include <stdexcept>
#include <string>

namespace plumb {

/// What a process says to its caller; the same numbers everywhere (docs/architecture.md lists them).
enum class Exit : int {
  Done = 0,
  OurMistake = 1,
  UserInput = 2,
  DamagedFile = 3,
  Disk = 4,  // or memory
  DivergedOrStuck = 5,
};

/// An error that a person can act on. It prints as one line: where, what, and what to do.
class Error : public std::runtime_error {
 public:
  Error(Exit exit, const std::string& where, const std::string& problem, const std::string& remedy);

  /// A line that another process of ours has already put in these words.
  Error(Exit exit, const std::string& line);

  Exit exit_code() const { return exit_; }

 private:
  Exit exit_;
};

/// The user's input is wrong (exit 2): a key, a value, a combination, a missing file.
class UserError : public Error {
 public:
  UserError(const std::string& where, const std::string& problem, const std::string& remedy)
      : Error(Exit::UserInput, where, problem, remedy) {}
};

/// A file is not what its format says (exit 3): truncated, overlapping, of the wrong type.
class DamagedFile : public Error {
 public:
  DamagedFile(const std::string& where, const std::string& problem, const std::string& remedy)
      : Error(Exit::DamagedFile, where, problem, remedy) {}
};

/// The disk refused (exit 4): full, read-only, no permission.
class DiskError : public Error {
 public:
  DiskError(const std::string& where, const std::string& problem, const std::string& remedy)
      : Error(Exit::Disk, where, problem, remedy) {}
};

}  // namespace plumb
