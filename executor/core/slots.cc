#include "executor/core/slots.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace dl::executor {

Slots::Slots(Context& context)
    : Component(context), threads_(context.options.slots), hinted_(context.options.slots) {}

bool Slots::AnyFree() const {
  return std::ranges::find(threads_, uint64_t{0}, &RunningUnit::lease) != threads_.end();
}

std::optional<size_t> Slots::FindFree(const UnitId& unit) const {
  std::optional<size_t> best;
  const auto fits = [&](size_t slot) {
    if (hinted_[slot] == unit) return 2;
    return hinted_[slot].has_value() ? 0 : 1;
  };
  for (size_t slot = 0; slot < threads_.size(); ++slot) {
    if (threads_[slot].lease == 0 && (!best || fits(slot) > fits(*best))) best = slot;
  }
  return best;
}

int32_t Slots::CountWanted() const {
  if (!leaving_.TakesWork() || lost_ || units_.UndeliveredBytes() > options_.result_bytes) return 0;
  return static_cast<int32_t>(std::ranges::count(threads_, uint64_t{0}, &RunningUnit::lease)) -
         units_.Waiting();
}

void Slots::Begin(size_t slot, const rpc::Lease& lease) {
  threads_[slot] = {.lease = lease.lease, .unit = lease.unit};
  hinted_[slot].reset();
  if (lease.has_hint) hinted_[slot] = lease.hint;
}

void Slots::RecordThreadFree(uint64_t lease) {
  for (RunningUnit& thread : threads_) {
    if (thread.lease == lease) thread = {};
  }
}

void Slots::FindLostThreads() {
  for (RunningUnit& thread : threads_) {
    if (thread.lease == 0 || units_.Find(thread.unit, thread.lease, Stage::kRunning) != nullptr)
      continue;
    if (!thread.given_up) thread.given_up = step_.now;
    const Duration gone = step_.now - *thread.given_up;
    if (gone < options_.thread_return_timeout || thread.reported) continue;
    thread.reported = true;
    const std::string why =
        absl::StrCat("the thread of unit ", ToString(thread.unit),
                     " has not come back since that was given up, ", Seconds(gone), " s ago");
    step_.Do(Warn{why + (options_.can_restart ? "; no more work is taken"
                                              : "; its slot is lost until this process ends")});
    if (!options_.can_restart || lost_) continue;
    lost_ = why;
    lost_since_ = step_.now;
  }
  if (!lost_ || restart_requested_) return;
  // Held results of a gathered round do not count as running: they stay until the round closes,
  // which may wait for this process.
  const bool under_way = std::ranges::any_of(units_.all(), [](const auto& entry) {
    return entry.second.stage != Stage::kRetained && entry.second.stage != Stage::kHeld;
  });
  if (under_way && step_.now - lost_since_ < options_.thread_return_timeout) return;
  restart_requested_ = true;
  step_.Do(Restart{"because " + *lost_});
}

}  // namespace dl::executor
