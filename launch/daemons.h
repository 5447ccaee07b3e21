// Masters and executors that run on behind the command that started them (--detach). Each has a
// folder, STATE_DIR/daemons/HOST/NAME: which process it is, what it logs, what it said on standard
// output. By host, because several machines may share a home folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json_fwd.h"
#include "base/process.h"
#include "base/status.h"
#include "security/token.h"

namespace dl::launch {

// The name of a master's, of which a data folder has one.
inline constexpr char kMasterDaemon[] = "master";

struct Daemon {
  std::string name;
  int64_t pid = 0;      // 0: it has ended
  std::string command;  // "executor --master dl://…"
  std::string log;      // its path
  // The last line that it said ({"type":"ready",…}); empty: none.
  std::string said;
};

// Not thread-safe; several processes may work on one folder at once.
class Daemons {
 public:
  explicit Daemons(const std::string& state_dir);

  struct Started {
    Daemon daemon;
    bool ran_already = false;         // with the same words
    std::optional<ExitStatus> ended;  // instead of getting ready
  };
  // Starts this program with these words. Returns when it is ready or has ended; where it says that
  // it waits, `limit` later, and limits::kReadyLimit where it says nothing: it may be ready later.
  // One that runs already is waited for likewise. A token is kept in a file of its
  // folder, and named to it. InvalidArgument for a name that cannot name a folder;
  // FailedPrecondition where one of that name runs with other words.
  StatusOr<Started> Start(const std::string& name, std::vector<std::string> words,
                          const std::optional<security::Token>& token, Duration limit);

  // Those of this machine, by name; also those that have ended.
  std::vector<Daemon> List() const;

  // SIGTERM, and where `limit` is over a second one, by which an executor ends at once. NotFound
  // where none of that name runs; DeadlineExceeded where it does not end.
  Status Stop(const std::string& name, Duration limit);

 private:
  std::string FolderOf(const std::string& name) const { return folder_ + "/" + name; }
  Daemon Look(const std::string& name) const;

  const std::string folder_;
};

}  // namespace dl::launch
