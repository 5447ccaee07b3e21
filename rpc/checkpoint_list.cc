#include "rpc/checkpoint_list.h"

#include "absl/strings/numbers.h"
#include "base/json.h"

namespace dl::rpc {

std::optional<RoundName> ParseRound(const std::string& text) {
  RoundName round;
  if (text == "last") return round;
  if (text == "best") return RoundName{.which = RoundName::Which::kBest};
  round.which = RoundName::Which::kNumber;
  const size_t mark = text.find('~');
  if (!absl::SimpleAtoi(text.substr(0, mark), &round.number) || round.number < 0)
    return std::nullopt;
  if (mark != std::string::npos &&
      (!absl::SimpleAtoi(text.substr(mark + 1), &round.set_aside) || round.set_aside < 1))
    return std::nullopt;
  return round;
}

const Json* FindCheckpoint(const Json& list, const RoundName& round) {
  if (!list.is_array()) return nullptr;
  const Json* last = nullptr;
  for (const Json& checkpoint : list) {
    if (checkpoint.value("set_aside", int64_t{0}) != round.set_aside) continue;
    last = &checkpoint;
    if (round.which == RoundName::Which::kBest) {
      if (checkpoint.value("best", false) && checkpoint.contains("test")) return last;
    } else if (round.which == RoundName::Which::kNumber &&
               checkpoint.value("round", int64_t{-1}) == round.number) {
      return last;
    }
  }
  return round.which == RoundName::Which::kLast ? last : nullptr;
}

}  // namespace dl::rpc
