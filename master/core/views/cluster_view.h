// A snapshot of the cluster (see job_view.h), or of a part of its executors. gateway/cluster_json.h
// writes the JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rpc/messages.h"

namespace dl::master {

struct ExecutorView {
  std::string executor;
  uint64_t incarnation = 0;
  std::string host;
  int32_t pid = 0;
  int32_t slots = 0;
  // Memory for units that the executor stated; 0: none stated.
  int64_t unit_memory_bytes = 0;
  std::vector<rpc::OfferedContract> offers;
  std::string version;
  bool quarantined = false;
  // Whether other executors get work first, and why; the reason is empty if not.
  bool backed_off = false;
  std::string backoff_reason;
  bool restart = false;   // it is asked to restart
  bool draining = false;  // it finishes its units and leaves
  std::vector<std::string> labels;
  double seconds_since_heartbeat = 0;
  // From its last heartbeat (rpc::HeartbeatRequest).
  int64_t blocks_cached_bytes = 0, blocks_read_bytes = 0, blocks_fetched_bytes = 0;
  rpc::Retries retries;  // reported by its process
};

struct ClusterView {
  uint64_t term = 0;  // number of the master's start on its data folder
  std::vector<ExecutorView> executors;
  rpc::Retries retries;        // sums over these executors
  int64_t executors_lost = 0;  // sessions that ended without a goodbye since the master's start
  int64_t jobs_queued = 0;
  // The session with which the next part begins (ClusterQuery::from); 0: this is the last part.
  uint64_t next = 0;
};

}  // namespace dl::master
