#include "master/core/job/unit_index.h"

namespace dl::master {

void UnitIndex::Set(int32_t unit, const Entry& entry) {
  if (!changes_.all) changes_.units.push_back(unit);
  // The list is limited, because it is perhaps never taken.
  if (changes_.units.size() > entries_.size() + 1) changes_ = {};
  auto [place, fresh] = entries_.try_emplace(unit, entry);
  if (!fresh) {
    if (place->second == entry) return;
    Forget(unit, place->second);
    place->second = entry;
  }
  settled_ += entry.settled ? 1 : 0;
  live_leases_ += entry.live_leases;
  for (const uint64_t session : entry.holders) ++held_[session];
  // Units without an index yet come in order.
  if (entry.open) open_.insert(open_.end(), unit);
  if (entry.disputed) disputed_.insert(unit);
  if (entry.troubled) troubled_.insert(unit);
  if (entry.alone_since) alone_.emplace(*entry.alone_since, unit);
  if (entry.due != Instant::Max()) due_.emplace(entry.due, unit);
}

void UnitIndex::Forget(int32_t unit, const Entry& entry) {
  settled_ -= entry.settled ? 1 : 0;
  live_leases_ -= entry.live_leases;
  for (const uint64_t session : entry.holders) {
    freed_.insert(session);
    if (--held_[session] == 0) held_.erase(session);
  }
  if (entry.open) open_.erase(unit);
  if (entry.disputed) disputed_.erase(unit);
  if (entry.troubled) troubled_.erase(unit);
  if (entry.alone_since) alone_.erase({*entry.alone_since, unit});
  if (entry.due != Instant::Max()) due_.erase({entry.due, unit});
}

void UnitIndex::Clear() {
  std::set<uint64_t> freed = TakeFreed();
  for (const auto& [session, leases] : held_) freed.insert(session);
  *this = {};
  freed_ = std::move(freed);
}

}  // namespace dl::master
