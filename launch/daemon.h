// The two daemons, in the foreground until SIGTERM or SIGINT. They print one line of JSON on stdout
// when they are ready: the master when it listens, an executor when it is registered.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "launch/credentials.h"
#include "launch/master_security.h"

namespace dl::launch {

struct MasterDaemonOptions {
  std::string data_dir;
  std::string address = "127.0.0.1";  // another one needs keys
  SiteKeys site_keys;
  int port = 7077;        // 0: any; the ready line says which
  std::string advertise;  // launch/advertised.h
  bool accept_loss = false;
  int64_t memory_bytes = 0;  // 0: DefaultMasterMemory()
  // Of one round's contributions; more of them stay with the executors until they are gathered.
  std::optional<int64_t> staging_bytes;  // none: a sixteenth of memory_bytes
  int64_t max_running_jobs = 4;
  bool no_other_executors = false;       // CoreOptions::others_may_join
  int64_t keep_jobs = 0;                 // that ended; 0: all
  Duration keep_for = Duration::zero();  // jobs that ended; zero: for ever
  std::optional<Duration> keep_uploads;  // blocks that no job names; none: master::kUploadsKept
};
// 8 GiB, or three quarters of what this process may use where that is less.
int64_t DefaultMasterMemory();

// {"type":"ready","role":"master","port":…,"url":…,"version":…}. OK after a clean stop.
// FailedPrecondition: an address that others reach, without keys.
Status RunMasterDaemon(const MasterDaemonOptions& options);

struct ExecutorDaemonOptions {
  std::string master;  // dl://host:port
  CredentialSources credentials;
  int32_t slots = 1;
  std::string isa;                  // empty: the best of the machine
  std::string name;                 // empty: host and pid
  std::vector<std::string> labels;  // base/label.h
  // Of the block cache and the crash note; empty: the first in STATE_DIR/executors that no executor
  // uses.
  std::string cache_dir, state_dir;
  int64_t cache_bytes = int64_t{4} << 30;  // of blocks; 0: none are kept
  // Of units, and of states, results and blocks that it keeps (launch/executor_options.h); 0: half
  // of the machine's memory.
  int64_t memory_bytes = 0;
  // How long a stop waits for what runs; 0: not at all.
  int64_t drain_seconds = 30;
  // Each change on stdout: `waiting` when the master is not there, `ready` when it is again.
  bool events = false;
};
// {"type":"ready","role":"executor","executor":…,"kernel_contract":…} behind the first
// registration, for which it waits as long as it takes. OK after a clean stop; Unimplemented when
// what is at the address is no master, or one of another protocol; Unauthenticated when the master
// does not let it in.
Status RunExecutorDaemon(const ExecutorDaemonOptions& options);

}  // namespace dl::launch
