// Starts, stops and shows the machines of a cluster over ssh: the executors of a hosts file, and
// the master if its data folder is on this machine.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/clusters/doctor.h"
#include "cli/clusters/ssh.h"
#include "cli/command.h"
#include "cli/settings.h"

namespace dl::cli {

struct MachinesOptions {
  // Path (cli/clusters/hosts_file.h). Empty: the hosts file of the last start, for StopMachines and
  // ShowMachines. The other functions need a path.
  std::string hosts;
  SshOptions ssh;
  // For a master that is started here.
  std::string address = "0.0.0.0";
  int64_t port = 7077;
  bool json = false;
};

// StartMachines, StopMachines and ShowMachines print a line for each machine when its state is
// known. With `json` the line is an object with `host`, `executor`, `state`, and `error` if there
// is one. The exit code is 1 if a machine is not in the wanted state.

// Starts an executor on each machine. Also starts the master of the data folder if no master is
// named and no process holds the folder. Processes that run already are kept. Stores the hosts file
// in the data folder for StopMachines and ShowMachines. `state` is ready, waiting (the process runs
// but does not reach the master) or failed. Returns UsageError if options.hosts is empty, an error
// with exit code 78 if the hosts file is wrong, and errors of FindOrStartMaster.
StatusOr<int> StartMachines(const MachinesOptions& options, const Settings& settings,
                            Context& context);
// Stops the executors of the hosts file and waits for their ends (Daemons::Stop). Then does the
// same with the master of the data folder if it runs as a daemon and --master names no standing
// master. `state` is ended, not_running, failed, or ready for a master that is not a daemon and
// continues. Jobs continue after the next start. Returns NotFound if no hosts file is given or
// stored. This and the next function return an error with exit code 78 if the hosts file is wrong.
StatusOr<int> StopMachines(const MachinesOptions& options, const Settings& settings,
                           Context& context);
// Shows the master, the machines of the hosts file if there is one, and other registered executors.
// `state` of the master is ready or failed. `state` of an executor is joined (registered with the
// master), waiting, ended, not_running or failed.
StatusOr<int> ShowMachines(const MachinesOptions& options, const Settings& settings,
                           Context& context);

// Runs `doctor` on one machine after the other and calls `found` with the checks of each. Also
// checks the connection from there to the master, if a master is named or holds the data folder. If
// the data folder exists here, also checks whether its locks are visible there. `host` is empty for
// checks of this machine. A failed check is not an error. Returns an error with exit code 78 if the
// hosts file is wrong, and errors of reading it and of FindMaster.
Status DoctorOnMachines(
    const MachinesOptions& options, const Settings& settings,
    const std::function<void(const std::string& host, const std::vector<Check>& checks)>& found);

}  // namespace dl::cli
