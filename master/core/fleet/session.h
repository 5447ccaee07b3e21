// What the core knows of those who compute.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/clock.h"
#include "master/core/fleet/notices.h"
#include "master/core/job/label_set.h"
#include "rpc/messages.h"

namespace dl::master {

// A unit that an executor computes without a lease of its session: from before a restart of the
// master, or because that ran out.
struct Unleased {
  int64_t steps_done = 0, bytes_moved = 0;
  Instant progressed;
  uint64_t heartbeat = 0;  // the last one that listed it
};

// An executor that has registered, until it is gone.
struct Session {
  uint64_t id = 0;
  rpc::RegisterRequest who;
  LabelSet labels;  // who.labels
  // The token that wrong results of the executor count against; empty for an admin's.
  std::string accountable_token;
  bool forgot_held = false;  // who.held_* are empty: all together said more than a master keeps
  Instant joined, last_heard;
  std::optional<Instant> disconnected_at;
  Notices notices;
  Instant due;                                           // when it is dropped unless it is heard
  uint64_t parked = 0;                                   // its request for leases, or 0
  std::set<std::pair<std::string, int32_t>> delivering;  // jobs and units whose bytes it has
  std::set<std::pair<std::string, uint64_t>> gathers;    // jobs and what it was asked for of them
  uint64_t heartbeats = 0;
  // Jobs of units that the executor may be computing: leased to it since its last heartbeat, or
  // listed by that heartbeat, or leased now.
  std::set<std::string> under_way;
  std::unordered_map<uint64_t, Unleased> unleased;  // as its last heartbeat listed them, by lease
  bool restart = false;  // its work stands still: it gets no more and is told so
  std::string restart_reason;
  bool drain = false;    // it is to finish what it has, and leave
  rpc::Retries retries;  // of its process
  int64_t blocks_cached_bytes = 0, blocks_read_bytes = 0, blocks_fetched_bytes = 0;
};

// A request for leases that waits for work.
struct ParkedLease {
  uint64_t token = 0;
  rpc::LeaseRequest request;
  Instant deadline;
};

// How reliably an executor, by its name, delivers results. A delivered result resets all of it.
struct Backoff {
  int overtaken = 0;       // units in a row that others finished before it
  int times_in_a_row = 0;  // in a row
  Instant until;
  std::string reason;                // for people
  std::set<UnitId> failed_at;        // units at which it failed, crashed or hung
  uint64_t crashed_incarnation = 0;  // the last one that reported a crash
  Instant absent_since;              // when its last session ended
};

}  // namespace dl::master
