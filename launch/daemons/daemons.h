// Masters and executors that continue to run after the command that started them has ended
// (--detach). Each daemon has a folder STATE_DIR/daemons/HOST/NAME with the identity of its
// process, its log and its standard output. The host is part of the path because several machines
// may share a home folder.
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

// Name of the daemon of a master. A data folder has at most one master.
inline constexpr char kMasterDaemon[] = "master";

struct Daemon {
  std::string name;
  int64_t pid = 0;      // 0: the process has ended
  std::string command;  // "executor --master dl://…"
  std::string log;      // path of the log
  // Last line of its standard output ({"type":"ready",…}). Empty: none.
  std::string last_line;
};

// Not thread-safe. Several processes may use one folder at the same time.
class Daemons {
 public:
  explicit Daemons(const std::string& state_dir);

  struct Started {
    Daemon daemon;
    bool ran_already = false;         // with the same arguments
    std::optional<ExitStatus> ended;  // set if the process ended instead of becoming ready
  };
  // Starts this program with the arguments `words`. Returns when the daemon is ready or has ended.
  // Does not wait longer than `limit` after the daemon's first line, or than limits::kReadyTimeout
  // for this line. The daemon may then become ready later. If the daemon runs already with the same
  // arguments, waits for it in the same way. The token is written to a file in the daemon's folder,
  // which is passed to it. Returns InvalidArgument if `name` cannot name a folder. Returns
  // FailedPrecondition if a daemon of that name runs with other arguments, or if another start of
  // it takes too long. Other errors are those of the file system and of Spawner::Start.
  StatusOr<Started> Start(const std::string& name, std::vector<std::string> words,
                          const std::optional<security::Token>& token, Duration limit);

  // Returns the daemons of this machine, sorted by name, including those that have ended.
  std::vector<Daemon> List() const;

  // Sends SIGTERM and waits for the end of the process. After `limit` sends a second SIGTERM, which
  // makes an executor end at once, and waits for limits::kGoodbyeTimeout. Then deletes the daemon's
  // token file. Returns NotFound if no daemon of that name runs, and DeadlineExceeded if the
  // process does not end.
  Status Stop(const std::string& name, Duration limit);

 private:
  std::string FolderOf(const std::string& name) const { return folder_ + "/" + name; }
  Daemon Find(const std::string& name) const;

  const std::string folder_;
};

}  // namespace dl::launch
