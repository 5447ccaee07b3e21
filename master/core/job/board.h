// What is derived from the units of a job's open round or evaluation, unit by unit, so that no
// event has to look at all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace dl::master {

class Board {
 public:
  // Of one unit.
  struct Entry {
    bool settled = false;
    bool open = false;  // it may be leased: wants a result, and nobody goes on computing it
    bool disputed = false;
    bool troubled = false;  // it failed somewhere, or stands still: who else is there matters
    size_t live_leases = 0;
    std::vector<uint64_t> holders;       // sessions that lease it, each once for each lease
    std::optional<Instant> alone_since;  // wants a result, and one lease, granted then, goes on
    Instant due = Instant::Max();        // when time alone changes something
    bool operator==(const Entry&) const = default;
  };
  using Timed = std::set<std::pair<Instant, int32_t>>;

  void Set(int32_t unit, const Entry& entry);
  void Clear();

  const std::map<int32_t, Entry>& entries() const { return entries_; }
  int64_t settled() const { return static_cast<int64_t>(settled_); }
  bool AllSettled() const { return settled_ == entries_.size(); }
  size_t live_leases() const { return live_leases_; }
  // By index.
  const std::set<int32_t>& open() const { return open_; }
  const std::set<int32_t>& disputed() const { return disputed_; }
  const std::set<int32_t>& troubled() const { return troubled_; }
  // How many leases each session has.
  const std::map<uint64_t, int64_t>& held() const { return held_; }
  int64_t held_by(uint64_t session) const {
    const auto found = held_.find(session);
    return found == held_.end() ? 0 : found->second;
  }
  // Sessions that have lost a lease since this was asked last.
  std::set<uint64_t> TakeFreed() { return std::exchange(freed_, {}); }
  // By time.
  const Timed& alone() const { return alone_; }
  const Timed& due() const { return due_; }

 private:
  void Forget(int32_t unit, const Entry& entry);

  std::map<int32_t, Entry> entries_;
  size_t settled_ = 0, live_leases_ = 0;
  std::set<int32_t> open_, disputed_, troubled_;
  Timed alone_, due_;
  std::map<uint64_t, int64_t> held_;
  std::set<uint64_t> freed_;
};

}  // namespace dl::master
