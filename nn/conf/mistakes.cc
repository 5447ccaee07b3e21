#include "nn/conf/mistakes.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/sentences.h"

namespace dl::nn {

void Mistakes::Add(std::string_view message, std::string_view remedy) {
  const std::string line =
      where_.empty() ? std::string(message) : absl::StrCat(where_, ": ", std::string(message));
  lines_.push_back(JoinSentences(line, remedy));
}

void Mistakes::Range(std::string_view what, int64_t value, int64_t min, int64_t max) {
  if (value >= min && value <= max) return;
  Add(absl::StrCat(std::string(what), " is ", value, ", out of range"),
      absl::StrCat("Choose a value from ", min, " to ", max));
}

void Mistakes::Range(std::string_view what, double value, double min, double max) {
  if (value >= min && value <= max) return;
  const std::string shown = value == value ? absl::StrCat(value, ", out of range") : "not a number";
  Add(absl::StrCat(std::string(what), " is ", shown),
      absl::StrCat("Choose a value from ", min, " to ", max));
}

Status Mistakes::ToStatus() const {
  if (lines_.empty()) return absl::OkStatus();
  return InvalidArgument({.message = absl::StrJoin(lines_, "\n")});
}

}  // namespace dl::nn
