// Parts of a job's last state that executors offer to a master that came back. A part is expected
// by its name, received in chunks, and kept until the state is made of all of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "master/core/events.h"
#include "master/merge/job_state.h"
#include "master/merge/receiver.h"

namespace dl::master {

// Thread-safe.
class OfferedParts {
 public:
  void Expect(const std::string& sha256) DL_EXCLUDES(mutex_);
  // Where the part is received, null when it is not expected. Which part it is shows when it is
  // whole: the first sender's `bytes` decide. `pool` outlives it.
  std::shared_ptr<Receiver> ReceiverOf(const std::string& sha256, int64_t bytes,
                                       FloatBufferPool& pool) DL_EXCLUDES(mutex_);
  void Arrived(const std::string& sha256, SharedVector vector) DL_EXCLUDES(mutex_);
  // The parts of these names, by their keys, null where one has not arrived. Forgets everything.
  std::map<std::string, SharedVector> Take(const StateNames& names) DL_EXCLUDES(mutex_);
  void Clear() DL_EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  std::map<std::string, std::shared_ptr<Receiver>> expected_ DL_GUARDED_BY(mutex_);
  std::map<std::string, SharedVector> arrived_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::master
