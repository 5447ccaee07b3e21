// A made-up root folder with /proc and /sys, for code that reads the limits of this process there.
#pragma once

#include <string>

#include "tests/support/temp_folder.h"

namespace dl::test {

class MadeUpSystem {
 public:
  const std::string& root() const { return folder_.path(); }
  // A file below the root, with its folders: Write("/sys/fs/cgroup/a/memory.max", "1048576").
  void Write(const std::string& path, const std::string& content) const;

 private:
  TempFolder folder_;
};

// A control group of its own for a process that a test starts, removed at the end. Only root may
// make one, and only where the hierarchy is mounted.
class RealControlGroup {
 public:
  // `controller`: "memory", "cpu" or "pids".
  explicit RealControlGroup(const std::string& controller);
  ~RealControlGroup();

  // Empty: it exists. Otherwise why it does not.
  const std::string& refused() const { return refused_; }
  // Sets a limit: the name of its file in version 1, and in version 2.
  void Set(const std::string& v1, const std::string& v2, const std::string& value) const;
  // The words of a command that runs in the group.
  std::string Prefix() const { return "echo $BASHPID > " + path_ + "/cgroup.procs; exec "; }
  const std::string& path() const { return path_; }

 private:
  std::string path_, refused_;
  bool v1_ = false;
};

}  // namespace dl::test
