// Parts of a job's last state that executors offer to a restarted master. A part is expected by its
// name, received in chunks, and kept until the state is taken or the job continues without it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "base/piece_verifier.h"
#include "master/core/master_events.h"
#include "master/merge/receiver.h"
#include "master/merge/round_state.h"

namespace dl::master {

// Thread-safe.
class OfferedParts {
 public:
  // Starts to expect the part with this name. Does nothing if it is expected already.
  void Expect(const std::string& sha256) DL_EXCLUDES(mutex_);
  bool IsExpected(const std::string& sha256) const DL_EXCLUDES(mutex_);
  // Returns the receiver of a part whose first chunk, with the piece hashes, has arrived; null if
  // the part is not expected. Further calls return the first receiver and ignore `pieces`. `pool`
  // must outlive the receiver.
  std::shared_ptr<Receiver> Begin(const std::string& sha256, PieceVerifier pieces,
                                  FloatBufferPool& pool) DL_EXCLUDES(mutex_);
  // Returns the receiver if Begin() was called for the part; else null.
  std::shared_ptr<Receiver> ReceiverOf(const std::string& sha256) const DL_EXCLUDES(mutex_);
  // Keeps a complete and verified part until Take() or Clear().
  void Arrived(const std::string& sha256, SharedVector vector, PieceHashes pieces)
      DL_EXCLUDES(mutex_);
  // Returns the state with these names. Parts that have not arrived are null. Forgets everything.
  RoundState Take(const StateNames& names) DL_EXCLUDES(mutex_);
  void Clear() DL_EXCLUDES(mutex_);

 private:
  void Forget() DL_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<std::string, std::shared_ptr<Receiver>> expected_ DL_GUARDED_BY(mutex_);
  std::map<std::string, SharedVector> arrived_ DL_GUARDED_BY(mutex_);
  std::map<std::string, PieceHashes> pieces_ DL_GUARDED_BY(mutex_);  // of parts that arrived
};

}  // namespace dl::master
