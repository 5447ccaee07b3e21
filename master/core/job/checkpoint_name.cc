#include "master/core/job/checkpoint_name.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace dl::master {

std::optional<CheckpointName> ParseCheckpointName(const std::string& text) {
  const size_t at = text.rfind('@');
  if (at == std::string::npos) return std::nullopt;
  CheckpointName name{.job = text.substr(0, at)};
  const std::string rest = text.substr(at + 1);
  const size_t mark = rest.find('~');
  if (!absl::SimpleAtoi(rest.substr(0, mark), &name.round)) return std::nullopt;
  if (mark != std::string::npos &&
      (!absl::SimpleAtoi(rest.substr(mark + 1), &name.set_aside) || name.set_aside < 1))
    return std::nullopt;
  return name;
}

std::string ToString(const CheckpointName& name) {
  std::string text = absl::StrCat(name.job, "@", name.round);
  if (name.set_aside > 0) absl::StrAppend(&text, "~", name.set_aside);
  return text;
}

}  // namespace dl::master
