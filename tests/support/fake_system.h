// A temporary root folder with made-up /proc and /sys files, for code that reads the limits of this
// process from them.
#pragma once

#include <string>

#include "tests/support/temp_folder.h"

namespace dl::test {

class FakeSystem {
 public:
  const std::string& root() const { return folder_.path(); }
  // Writes a file below the root and creates its folders, for example
  // Write("/sys/fs/cgroup/a/memory.max", "1048576").
  void Write(const std::string& path, const std::string& content) const;

 private:
  TempFolder folder_;
};

// A real control group for a process that a test starts. It is removed at the end. Only root may
// create a control group, and only if the hierarchy is mounted.
class RealControlGroup {
 public:
  // `controller`: "memory", "cpu" or "pids".
  explicit RealControlGroup(const std::string& controller);
  ~RealControlGroup();

  // Returns why the group could not be created. Empty: the group exists.
  const std::string& refused() const { return refused_; }
  // Sets a limit. `v1` and `v2` are the names of its file in versions 1 and 2 of control groups.
  void Set(const std::string& v1, const std::string& v2, const std::string& value) const;
  // Returns a shell prefix that makes the following command run in the group.
  std::string Prefix() const { return "echo $BASHPID > " + path_ + "/cgroup.procs; exec "; }
  const std::string& path() const { return path_; }

 private:
  std::string path_, refused_;
  bool v1_ = false;
};

}  // namespace dl::test
