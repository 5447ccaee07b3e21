// What `doctor` looks at: whether a machine, a data folder and a master are as a cluster needs
// them.
#pragma once

#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "cli/settings.h"
#include "launch/credentials.h"
#include "launch/target.h"

namespace dl::cli {

struct Check {
  enum class State {
    kOk,
    kWarning,  // it works, and something will go wrong, or slow
    kFailed,
  };
  std::string subject;  // "clock"
  State state = State::kOk;
  std::string message;
  std::string remedy;  // of all but kOk
};

Check Good(std::string subject, std::string message);
Check Warning(std::string subject, std::string message, std::string remedy);
// A failed one, with the error's own words.
Check Failed(std::string subject, const Status& status);

// {"check","state","message","remedy"}, and back.
Json ToJson(const Check& check);
Check CheckFromJson(const Json& json);

// This machine: program; processor, memory, threads and open files with the limits that containers
// and `ulimit` set; temporary and working folder; the disk that has `state_dir`.
std::vector<Check> CheckMachine(const std::string& state_dir);
// A master's data folder: who has it, whether it can be written, the port, its keys and tokens. One
// that is not there yet is fine where it can be made.
std::vector<Check> CheckDataFolder(const std::string& data_dir);
// A master that listens: who answers, the clock, the link; and its executors, for who may ask for
// them.
std::vector<Check> CheckMaster(const launch::Target& master,
                               const launch::CredentialSources& credentials);

// Of them, what {"what": "cluster"} is answered with.
std::vector<Check> CheckExecutors(const Json& cluster);

}  // namespace dl::cli
