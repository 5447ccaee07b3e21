// Parts of a job's last state that executors offer to a master that came back. A part is expected
// by its name, received in chunks, and kept until the state is made of all of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "base/piece_verifier.h"
#include "master/core/events.h"
#include "master/merge/job_state.h"
#include "master/merge/receiver.h"

namespace dl::master {

// Thread-safe.
class OfferedParts {
 public:
  void Expect(const std::string& sha256) DL_EXCLUDES(mutex_);
  bool IsExpected(const std::string& sha256) const DL_EXCLUDES(mutex_);
  // Where the part is received, which its list of piece hashes begins; null when it is not
  // expected. `pool` outlives it.
  std::shared_ptr<Receiver> Begin(const std::string& sha256, PieceVerifier pieces,
                                  FloatBufferPool& pool) DL_EXCLUDES(mutex_);
  // The same, where it has begun; else null.
  std::shared_ptr<Receiver> ReceiverOf(const std::string& sha256) const DL_EXCLUDES(mutex_);
  void Arrived(const std::string& sha256, SharedVector vector, PieceHashes pieces)
      DL_EXCLUDES(mutex_);
  // The state of these names: its parts are null where one has not arrived. Forgets everything.
  RoundState Take(const StateNames& names) DL_EXCLUDES(mutex_);
  void Clear() DL_EXCLUDES(mutex_);

 private:
  void Forget() DL_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<std::string, std::shared_ptr<Receiver>> expected_ DL_GUARDED_BY(mutex_);
  std::map<std::string, SharedVector> arrived_ DL_GUARDED_BY(mutex_);
  std::map<std::string, PieceHashes> pieces_ DL_GUARDED_BY(mutex_);  // of those that arrived
};

}  // namespace dl::master
