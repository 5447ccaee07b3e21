#include "cli/clusters/slot_advice.h"

#include "absl/strings/str_cat.h"

namespace dl::cli {
namespace {

std::string Count(int64_t count, const char* thing) {
  return absl::StrCat(count, " ", thing, count == 1 ? "" : "s");
}

}  // namespace

std::optional<std::string> SlotAdvice(const SlotUse& use) {
  if (use.slots <= 0 || use.workers == use.slots) return std::nullopt;
  const std::string both =
      absl::StrCat(Count(use.workers, "worker"), " and ", Count(use.slots, "slot"));
  if (use.workers < use.slots) {
    const int64_t idle = use.slots - use.workers;
    return absl::StrCat(both, ": ", idle, idle == 1 ? " trains" : " train",
                        " nothing of this job; more workers (training.workers) would use ",
                        idle == 1 ? "it" : "them", ", and make it another result");
  }
  if (use.more_slots == SlotUse::MoreSlots::kWouldNot) return std::nullopt;
  const int64_t turns = (use.workers + use.slots - 1) / use.slots;
  return absl::StrCat(both, ": a round takes ", turns, " turns; more executors, up to ",
                      use.workers, " slots, make it faster and change no result");
}

}  // namespace dl::cli
