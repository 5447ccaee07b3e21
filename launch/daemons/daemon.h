// Runs the two daemons in the foreground until a signal of StopSignal. Each prints one line of JSON
// on stdout when it is ready: the master when it listens, an executor when it is registered.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "launch/credentials.h"
#include "launch/import/file_imports.h"
#include "launch/master_security.h"

namespace dl::web {
class ModelService;
}  // namespace dl::web

namespace dl::launch {

struct MasterDaemonOptions {
  std::string data_dir;
  std::string address = "127.0.0.1";  // other addresses need keys
  SiteKeys site_keys;
  int port = 7077;  // 0: any free port, printed in the ready line
  // Port of the web server (web/web_server.h), on the same address; 0: any free port. nullopt:
  // no web server.
  std::optional<int> http_port;
  // Models for the web server (inference/serving/served_models.h). Null: it has no predictions and
  // no downloads. Must outlive the daemon.
  web::ModelService* models = nullptr;
  // Longest file that a client may send by HTTP for an import; 0: the web server takes no files.
  int64_t max_upload_bytes = kUploadBytes;
  std::string advertise;     // see launch/daemons/advertised.h
  bool accept_loss = false;  // opens damaged stores with what can still be read
  int64_t memory_bytes = 0;  // 0: DefaultMasterMemory()
  // Memory for the contributions of one round. If a round needs more, contributions stay with the
  // executors until they are gathered.
  std::optional<int64_t> staging_bytes;  // nullopt: a sixteenth of memory_bytes
  int64_t max_running_jobs = 4;
  bool no_other_executors = false;       // see CoreOptions::others_may_join
  int64_t executor_memory_bytes = 0;     // --memory of the cluster's own executors; 0: unknown
  int64_t keep_jobs = 0;                 // number of ended jobs to keep; 0: all
  Duration keep_for = Duration::zero();  // how long ended jobs are kept; zero: forever
  // How long blocks that no job names are kept. nullopt: master::kUploadsKept.
  std::optional<Duration> keep_uploads;
};
// Returns 8 GiB, or three quarters of the memory that this process may use if that is less.
int64_t DefaultMasterMemory();

// Runs a master. Prints {"type":"ready","role":"master","port":…,"url":…,"version":…} when it
// listens, with "page" if it has a web server: the address of the first page, with a code that logs
// one browser in. Returns OK after a clean stop, else the first error of its parts. These include:
//   - FailedPrecondition if other machines can reach the address but there are no keys, or if
//     another process uses the data folder.
//   - Unavailable if the port is in use.
//   - errors of AdvertisedEndpoint, MasterSecurity::Open and master::Master::Open.
// Ends the process with exit code kInputOutput if a master on another machine takes the folder.
Status RunMasterDaemon(const MasterDaemonOptions& options);

struct ExecutorDaemonOptions {
  std::string master;  // dl://host:port
  CredentialSources credentials;
  int32_t slots = 1;
  std::string isa;                  // empty: the best of the machine
  std::string name;                 // empty: host and process id
  std::vector<std::string> labels;  // see base/label.h
  // Folder of the block cache and the crash note. Empty: the first folder in STATE_DIR/executors
  // that no executor uses.
  std::string cache_dir, state_dir;
  int64_t cache_bytes = int64_t{4} << 30;  // capacity of the block cache; 0: no blocks are kept
  // Memory for units and for kept states, results and blocks (launch/clusters/executor_identity.h).
  // 0: half of the memory that this process may use.
  int64_t memory_bytes = 0;
  // How long a stop waits for running units. 0: a stop does not wait.
  int64_t drain_seconds = 30;
  // Prints a line on stdout for each change: `waiting` when the master is not reachable, `ready`
  // when it is again.
  bool events = false;
};
// Runs an executor. Waits without limit for the first registration, then prints
// {"type":"ready","role":"executor","executor":…,"kernel_contracts":[…]}. Executes the program
// again if the master requests a restart. Ends the process if a unit does not end during a stop.
// Returns OK after a clean stop. Errors include:
//   - InvalidArgument if `master` is not dl://host:port.
//   - Unimplemented if the address is not a master, or a master with another protocol.
//   - Unauthenticated or another error with which the master refuses the executor. If a service
//     manager started the process (ServiceNotices), Unauthenticated is returned only after
//     limits::kDeniedTimeout.
//   - errors of MakeExecutorOptions, OpenExecutorFolder and ConnectAs.
Status RunExecutorDaemon(const ExecutorDaemonOptions& options);

}  // namespace dl::launch
