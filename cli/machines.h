// The machines of a cluster as a whole, over ssh: start, stop and look at the executors of a hosts
// file, and at the master where its data folder is here.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/command.h"
#include "cli/doctor.h"
#include "cli/settings.h"
#include "cli/ssh.h"

namespace dl::cli {

struct MachinesOptions {
  std::string hosts;  // cli/hosts_file.h; empty: the file of the last start
  SshOptions ssh;
  // Of a master that is started here.
  std::string address = "0.0.0.0";
  int64_t port = 7077;
  bool json = false;
};

// Each prints a line for each machine when it knows how it is there, or with `json` an object:
// `host`, `executor`, `state`, and `error` where there is one. The exit code is 1 where one of them
// is not as it was asked for.

// Starts the master of the data folder where none is named and none has it, and an executor on each
// machine; `state`: ready, waiting (it runs, and does not reach the master), failed. What runs
// already stays. InvalidArgument with exit code 78 for a hosts file that is wrong, and where the
// data folder has no keys.
StatusOr<int> StartMachines(const MachinesOptions& options, const Settings& settings,
                            Context& context);
// SIGTERM to each, and to the master if StartMachines started it; `state`: stopped, not_running,
// failed. The jobs go on with the next start.
StatusOr<int> StopMachines(const MachinesOptions& options, const Settings& settings,
                           Context& context);
// `state`: joined (the master has it), waiting, ended, not_running, failed. Also executors that no
// hosts file names.
StatusOr<int> ShowMachines(const MachinesOptions& options, const Settings& settings,
                           Context& context);

// `doctor` on each, which also looks at the link from there to the master, where one is named or
// has the data folder, and, where the data folder exists here, at a lock in it. One machine after
// the other. `host` is empty where the check is about this machine.
Status DoctorOnMachines(
    const MachinesOptions& options, const Settings& settings,
    const std::function<void(const std::string& host, const std::vector<Check>& checks)>& found);

}  // namespace dl::cli
