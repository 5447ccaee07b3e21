// The flags of a command: declared with the variables for their values, then parsed. Only flags.cc
// uses CLI11.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"

namespace dl::cli {

// Not thread-safe. The variables must outlive this object. A flag that is not on the line leaves
// its variable unchanged. Only a List or a Switch may be given several times.
class Flags {
 public:
  // `program` is the start of the usage line ("dl-submit run"), `summary` is one sentence.
  Flags(std::string program, std::string summary);
  ~Flags();
  Flags(const Flags&) = delete;
  Flags& operator=(const Flags&) = delete;

  enum class Need { kRequired, kOptional };

  // A flag or positional argument as it was declared.
  struct Argument {
    enum class Kind { kPositional, kValue, kSwitch };
    Kind kind = Kind::kValue;
    std::vector<std::string> names;  // {"-o", "--output"}; the name of a positional argument
    std::string metavar;             // of kValue
    std::string help;
    std::vector<std::string> words;  // values that completions offer; empty: unknown
    bool required = false;           // of kPositional
    bool repeated = false;           // takes several values: a List or Positionals
  };
  // Returns all arguments, -h first, in the order of their declarations.
  const std::vector<Argument>& arguments() const;

  // Declares a positional argument. Positions follow the order of declarations. An empty value is
  // an error.
  void Positional(const std::string& name, std::string& value, const std::string& help, Need need);
  // Declares a positional argument that takes all remaining words, at least one. An empty word is
  // an error. Must be the last positional argument.
  void Positionals(const std::string& name, std::vector<std::string>& values,
                   const std::string& help);
  // Declares a flag with a text. `names` is like "-o,--output". `metavar` names the value in the
  // help. An empty value is an error, because "--epochs $N" without N is a mistake.
  void Text(const std::string& names, const std::string& metavar, std::string& value,
            const std::string& help);
  // Declares a flag whose value must be one of `choices`.
  void Choice(const std::string& names, const std::string& metavar, std::string& value,
              std::vector<std::string> choices, const std::string& help);
  // Declares a flag with a whole number from `min` to `max`.
  void Integer(const std::string& names, const std::string& metavar, int64_t& value,
               const std::string& help, int64_t min, int64_t max);
  // Declares a flag with a size: a whole number with a unit, like 512M or 8GiB (powers of 1024).
  // Without a unit it is a number of bytes, which must be 0 or at least 1 MiB, because a small
  // number means that the unit was forgotten.
  void Bytes(const std::string& names, int64_t& value, const std::string& help);
  // Declares a flag without a value. It sets `value` to true.
  void Switch(const std::string& names, bool& value, const std::string& help);
  // Declares a flag that may be given several times, with one value each time. A value may be
  // empty.
  void List(const std::string& names, const std::string& metavar, std::vector<std::string>& values,
            const std::string& help);
  // Sets the values that completions offer for a declared argument. Other values stay valid.
  void SetCompletions(const std::string& name, std::vector<std::string> words);
  // Accepts words after "--" that no positional argument takes, in order. Without this call they
  // are an error.
  void SetRemainder(std::vector<std::string>& values);
  // Declares flags that this command does not have but users may expect. `remedy` is the remedy of
  // the error.
  void AddForeignFlag(const std::string& names, const std::string& remedy);
  // Sets the text after the flags in the help, such as examples.
  void Footer(const std::string& text);

  // Parses the command line. Words after "--" are not flags. Returns UsageError if any word is not
  // UTF-8. Otherwise, if a word before "--" is -h or --help, even in the place of a value, returns
  // OK and parses no other word. Returns UsageError if the line cannot be parsed. The error for an
  // unknown flag suggests a known flag with a similar name. After an error, the variables may have
  // changed.
  Status Parse(std::vector<std::string> words);
  bool help_wanted() const;  // the parsed line has -h or --help
  // Returns the help text of the command.
  std::string Help() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Parses a size as Flags::Bytes does. Returns InvalidArgument for other text.
StatusOr<int64_t> ParseSize(const std::string& text);

}  // namespace dl::cli
