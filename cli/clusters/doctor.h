// The checks of `doctor`: whether a machine, a data folder and a master meet the needs of a
// cluster.
#pragma once

#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "cli/settings.h"
#include "launch/clusters/target.h"
#include "launch/credentials.h"

namespace dl::cli {

struct Check {
  enum class State {
    kOk,
    kWarning,  // it works, but will fail or be slow later
    kFailed,
  };
  std::string subject;  // "clock"
  State state = State::kOk;
  std::string message;
  std::string remedy;  // what the user can do about a warning or failure; may be empty
};

// Makes a check with state kOk.
Check Good(std::string subject, std::string message);
// Makes a check with state kWarning.
Check Warning(std::string subject, std::string message, std::string remedy);
// Makes a check with state kFailed from an error.
Check Failed(std::string subject, const Status& status);

// Convert a check to and from {"check","state","message","remedy"}. An unknown state becomes kOk.
Json ToJson(const Check& check);
Check CheckFromJson(const Json& json);

// Checks this machine: program, processor, memory, threads and open files with the limits of
// containers and `ulimit`, temporary folder, working folder, /proc, and the disk of `state_dir`.
std::vector<Check> CheckMachine(const std::string& state_dir);
// Checks a master's data folder: its holder, write access, locks of other machines, keys and
// tokens, and the master's usual port unless a process holds the folder. A missing folder is OK if
// it can be created.
std::vector<Check> CheckDataFolder(const std::string& data_dir);
// Checks a listening master: its identity, clock and connection. Also checks its executors if the
// credentials allow to query them.
std::vector<Check> CheckMaster(const launch::Target& master,
                               const launch::CredentialSources& credentials);

// Checks the executors in the answer to the query {"what": "cluster"}.
std::vector<Check> CheckExecutors(const Json& cluster);

}  // namespace dl::cli
