#include "executor/core/slots.h"

#include <algorithm>

namespace dl::executor {

Slots::Slots(Ground& ground)
    : Room(ground), threads_(ground.options.slots), hinted_(ground.options.slots) {}

bool Slots::AnyFree() const { return std::ranges::find(threads_, uint64_t{0}) != threads_.end(); }

std::optional<size_t> Slots::For(const UnitId& unit) const {
  std::optional<size_t> best;
  const auto fits = [&](size_t slot) {
    if (hinted_[slot] == unit) return 2;
    return hinted_[slot].has_value() ? 0 : 1;
  };
  for (size_t slot = 0; slot < threads_.size(); ++slot) {
    if (threads_[slot] == 0 && (!best || fits(slot) > fits(*best))) best = slot;
  }
  return best;
}

int32_t Slots::ToAskFor() const {
  if (!leaving_.TakesWork() || units_.UndeliveredBytes() > options_.result_bytes) return 0;
  return static_cast<int32_t>(std::ranges::count(threads_, uint64_t{0})) - units_.Waiting();
}

void Slots::Begin(size_t slot, const rpc::Lease& lease) {
  threads_[slot] = lease.lease;
  hinted_[slot].reset();
  if (lease.has_hint) hinted_[slot] = lease.hint;
}

void Slots::ThreadIsBack(uint64_t lease) { std::ranges::replace(threads_, lease, uint64_t{0}); }

}  // namespace dl::executor
