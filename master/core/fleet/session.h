// The core's data about executors.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/clock.h"
#include "master/core/fleet/arrival_times.h"
#include "master/core/fleet/notices.h"
#include "master/core/job/label_set.h"
#include "rpc/messages.h"

namespace dl::master {

// A unit that an executor computes without a lease of its session: the lease was from before a
// restart of the master, or has expired.
struct Unleased {
  int64_t steps_done = 0, bytes_moved = 0;
  Instant progressed;
  uint64_t heartbeat = 0;  // number of the last heartbeat that listed it
};

// A registered executor, from its registration to the end of its session.
struct Session {
  uint64_t id = 0;
  rpc::RegisterRequest who;
  LabelSet labels;  // who.labels
  // The token against which wrong results of the executor count; empty for an admin's token.
  std::string accountable_token;
  // Set if who.held_* were dropped, because all sessions together would exceed Fleet::kMaxHeld.
  bool forgot_held = false;
  Instant joined, last_heard;
  // How long it may be silent: at least CoreOptions::session_timeout, and as long as the lease of
  // each unit that it may be computing.
  Duration silence_limit{};
  std::optional<Instant> disconnected_at;  // end of its last connection; nullopt: connected
  Notices notices;
  Instant due;          // when it is dropped unless it is heard
  uint64_t parked = 0;  // number of its parked request for leases, or 0
  // Jobs and indices of units with an accepted result whose bytes it has to deliver. Outdated
  // entries are removed at its next heartbeat.
  std::set<std::pair<std::string, int32_t>> delivering;
  ArrivalTimes arrivals;     // of bytes of these results
  ArrivalTimes completions;  // of all bytes of a result
  // Jobs and numbers of gathers that it was asked for.
  std::set<std::pair<std::string, uint64_t>> gathers;
  // Number of heartbeats so far.
  uint64_t heartbeats = 0;
  // Jobs of units that the executor may be computing. A lease adds its job. A heartbeat that lists
  // no unit of the job removes it, unless the session has a lease of it. A new session of the same
  // process takes over the jobs. Heartbeats add none, so that an executor cannot invent kills
  // (Failures::RecordKilled).
  std::set<std::string> under_way;
  // From its last heartbeat, by lease. Limited (Sessions::kMostUnleased).
  std::unordered_map<uint64_t, Unleased> unleased;
  // Its work has stalled, or it repeatedly delivered nothing. It gets no more units and is asked to
  // restart.
  bool restart = false;
  std::string restart_reason;
  bool drain = false;    // it finishes its units and leaves
  rpc::Retries retries;  // reported by its process
  // As in its last heartbeat (rpc::HeartbeatRequest).
  int64_t blocks_cached_bytes = 0, blocks_read_bytes = 0, blocks_fetched_bytes = 0;
};

// A request for leases that waits for work.
struct ParkedLease {
  uint64_t token = 0;
  rpc::LeaseRequest request;
  Instant deadline;
};

// A computation or delivery of a unit by an executor.
struct Attempt {
  std::string executor;
  UnitId unit;
  Instant began;
};

// How reliably an executor delivers results, by its name. A delivered result resets all of it.
struct Backoff {
  int overtaken = 0;                 // units that others finished before it since the last backoff
  int times_in_a_row = 0;            // backoffs in a row
  Instant began;                     // start of the last backoff
  Instant until;                     // end of the last backoff; in the past: not backed off
  std::string reason;                // for people
  std::set<UnitId> failed_at;        // where it failed, crashed or hung since the last backoff
  uint64_t crashed_incarnation = 0;  // the last incarnation that reported a crash
  Instant absent_since;              // when its last session ended
};

}  // namespace dl::master
