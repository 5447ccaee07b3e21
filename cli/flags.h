// The flags of one command: declared with where their values go, then parsed. The only thing that
// knows CLI11 is flags.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"

namespace dl::cli {

// Not thread-safe. The variables outlive it; what is not given keeps its value.
class Flags {
 public:
  // `program` is what the usage line begins with ("dl-submit run"), `summary` one sentence.
  Flags(std::string program, std::string summary);
  ~Flags();
  Flags(const Flags&) = delete;
  Flags& operator=(const Flags&) = delete;

  enum class Need { kRequired, kOptional };
  // In the order of the declarations.
  void Positional(const std::string& name, std::string& value, const std::string& help, Need need);
  // `names` as "-o,--output"; `metavar` names the value in the help. A value that is given is not
  // empty: "--epochs $N" without N is a mistake, not a default.
  void Text(const std::string& names, const std::string& metavar, std::string& value,
            const std::string& help);
  // One of `choices`; the empty value stays for a flag that is not given.
  void Choice(const std::string& names, const std::string& metavar, std::string& value,
              std::vector<std::string> choices, const std::string& help);
  void Integer(const std::string& names, const std::string& metavar, int64_t& value,
               const std::string& help, int64_t min, int64_t max);
  // A whole number with a unit, as 512M or 8GiB (powers of 1024). Without one it is bytes, and only
  // 0 or at least a MiB: a small number is a unit forgotten.
  void Bytes(const std::string& names, int64_t& value, const std::string& help);
  void Switch(const std::string& names, bool& value, const std::string& help);
  // May be given several times, one value each.
  void List(const std::string& names, const std::string& metavar, std::vector<std::string>& values,
            const std::string& help);
  // Words behind "--" that no positional takes, in their order; without it they are an error.
  void Rest(std::vector<std::string>& values);
  // A flag that this command has not and users expect: the remedy of its error.
  void Elsewhere(const std::string& names, const std::string& remedy);
  // Printed below the flags: examples.
  void Footer(const std::string& text);

  // UsageError for what cannot be understood, with the nearest known flag. Words behind "--" are no
  // flags.
  Status Parse(std::vector<std::string> words);
  bool help_wanted() const;
  std::string Help() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// What Flags::Bytes reads, from elsewhere.
StatusOr<int64_t> ParseSize(const std::string& text);

}  // namespace dl::cli
