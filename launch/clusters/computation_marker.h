// A marker in a data folder that a process computes there. The next process learns from it that the
// previous process was killed, and probably why.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/status.h"

namespace dl::launch {

// Must be used by the process that holds the data folder, from one thread. The marker is the file
// DATA_DIR/computing.
class ComputationMarker {
 public:
  // Reads the marker. A marker that is missing or cannot be read is empty.
  static ComputationMarker Read(const std::string& data_dir);

  // Returns whether the last process that computed here ended without Clear(), which means that it
  // was killed. Processes from before the last start of the machine do not count.
  bool was_killed() const { return was_killed_; }

  // Counts one more death of a process that computed `job`. Returns OK if the job may continue.
  // Otherwise returns ResourceExhausted, the error with which the job is given up: after
  // kMaxDeaths deaths in a row, or after one death for which the kernel counted a kill for memory.
  // If the marker cannot be written, this is logged, and the death counts only if this object
  // writes the marker later. REQUIRES: was_killed().
  Status CountDeath(const std::string& job);

  // Records that this process computes from now on. The marker is durable when this returns OK.
  // Returns the errors of AtomicWriteFile.
  Status Begin();
  // Removes the marker and all counts. Must be called when the process stops in order.
  void Clear();

  static constexpr int64_t kMaxDeaths = 3;

 private:
  explicit ComputationMarker(std::string path) : path_(std::move(path)) {}
  Status Write(bool computing) const;

  std::string path_;
  bool was_killed_ = false;
  bool killed_for_memory_ = false;  // according to the kernel's counter
  std::string limit_;               // memory limit of the process that was killed
  std::map<std::string, int64_t> deaths_;
};

}  // namespace dl::launch
