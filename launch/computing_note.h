// Notes in a data folder that a process computes there, so that the next process learns that it was
// killed, and by what.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/status.h"

namespace dl::launch {

// Used by the process that holds the data folder, of one thread. The note is the file
// DATA_DIR/computing.
class ComputingNote {
 public:
  // Reads the note. A note that is missing or cannot be read is empty.
  static ComputingNote Read(const std::string& data_dir);

  // Whether the last process that computed here ended without Clear(): it was killed. A process of
  // an earlier start of the machine does not count.
  bool was_killed() const { return was_killed_; }

  // Counts one more death of a process that computed `job`. Returns why the job is not computed any
  // more, as the error of the job: after kMostDeaths of them in a row, or after the first one where
  // the kernel counted that it killed for memory. OK: it goes on.
  // REQUIRES: was_killed().
  Status CountDeath(const std::string& job);

  // This process computes from now on. The note is durable when it returns OK.
  Status Begin();
  // The process stopped in order: nothing is counted any more. Removes the note.
  void Clear();

  static constexpr int64_t kMostDeaths = 3;

 private:
  explicit ComputingNote(std::string path) : path_(std::move(path)) {}
  Status Write(bool computing) const;

  std::string path_;
  bool was_killed_ = false;
  bool killed_for_memory_ = false;  // as the kernel counted
  std::string limit_;               // of the process that was killed
  std::map<std::string, int64_t> deaths_;
};

}  // namespace dl::launch
