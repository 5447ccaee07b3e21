#include "executor/core/offers.h"

#include <algorithm>

namespace dl::executor {

void Offers::Take(const std::string& job, const std::string& sha256) {
  offers_.try_emplace(sha256, Offer{.job = job, .call = {.due = step_.now}});
}

void Offers::On(const PartOffered& event) {
  const auto found = offers_.find(event.sha256);
  if (found == offers_.end()) return;
  Call& call = found->second.call;
  if (event.status.ok() || absl::IsNotFound(event.status) || call.IsRefusedForGood(event.status)) {
    offers_.erase(found);
  } else {
    call.ScheduleRetry(step_.now, options_);
  }
}

void Offers::SendDue() {
  for (auto& [sha256, offer] : offers_) {
    if (!offer.call.IsDue(step_.now)) continue;
    offer.call.in_flight = true;
    step_.Do(OfferPart{session_, offer.job, sha256});
  }
}

Instant Offers::NextDue() const {
  Instant next = Instant::Max();
  for (const auto& [sha256, offer] : offers_) next = std::min(next, offer.call.NextDue());
  return next;
}

}  // namespace dl::executor
