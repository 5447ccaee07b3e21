// An index of the units of a job's open round or evaluation. It is updated unit by unit, so that
// most events need not examine all units.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "master/core/job/by_index.h"

namespace dl::master {

class UnitIndex {
 public:
  // The facts about a unit that the index uses.
  struct Entry {
    bool settled = false;  // Unit::Settled()
    // May be leased: it needs a result, no lease of it makes progress, and no pause after an error
    // is in effect.
    bool open = false;
    bool disputed = false;  // two results differ
    // An executor failed at it, or a lease of it stalls. The unit is examined again when executors
    // come, leave or are backed off. A unit is not troubled if executors are only unsuitable, for
    // example because they have too little memory.
    bool troubled = false;
    size_t live_leases = 0;         // leases that do not stall
    std::vector<uint64_t> holders;  // sessions that lease it, once per lease
    // Set if the unit needs a result and has exactly one live lease: when this lease was granted.
    // If that was long ago, the unit is leased a second time.
    std::optional<Instant> alone_since;
    Instant due = Instant::Max();  // when the unit must be examined again, even without an event
    bool operator==(const Entry&) const = default;
  };
  using Timed = std::set<std::pair<Instant, int32_t>>;

  // Adds or replaces the entry of a unit.
  void Set(int32_t unit, const Entry& entry);
  // Removes all units. Their holders count as freed.
  void Clear();

  const ByIndex<Entry>& entries() const { return entries_; }
  int64_t settled() const { return static_cast<int64_t>(settled_); }
  bool AllSettled() const { return settled_ == entries_.size(); }
  size_t live_leases() const { return live_leases_; }
  // Indices of units, ascending.
  const std::set<int32_t>& open() const { return open_; }
  const std::set<int32_t>& disputed() const { return disputed_; }
  const std::set<int32_t>& troubled() const { return troubled_; }
  // Number of leases by session.
  const std::map<uint64_t, int64_t>& held() const { return held_; }
  int64_t held_by(uint64_t session) const {
    const auto found = held_.find(session);
    return found == held_.end() ? 0 : found->second;
  }
  // Returns the sessions that may have lost a lease since the last call. Contains each session that
  // had a lease of a unit whose entry changed.
  std::set<uint64_t> TakeFreed() { return std::exchange(freed_, {}); }
  // Units that may have changed since the last call, also in ways that no entry shows.
  struct Changes {
    bool all = true;             // all units may have changed
    std::vector<int32_t> units;  // otherwise only these; may have duplicates
  };
  Changes TakeChanges() { return std::exchange(changes_, {.all = false}); }
  // Pairs of time and unit, ascending by time.
  const Timed& alone() const { return alone_; }
  const Timed& due() const { return due_; }

 private:
  void Forget(int32_t unit, const Entry& entry);

  ByIndex<Entry> entries_;
  size_t settled_ = 0, live_leases_ = 0;
  std::set<int32_t> open_, disputed_, troubled_;
  Timed alone_, due_;
  std::map<uint64_t, int64_t> held_;
  std::set<uint64_t> freed_;
  Changes changes_;
};

}  // namespace dl::master
