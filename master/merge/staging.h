// The contributions of a job's open round. A contribution is expected once it is accepted. Its
// chunks fill a receiver. When it is complete and verified, its vector stays until the contribution
// is dropped: alone (Drop), with rounds (DropThrough, DropAllBut), or with all (Clear). A later
// expectation of the unit also replaces it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/mutex.h"
#include "base/status.h"
#include "master/core/master_events.h"
#include "master/merge/receiver.h"
#include "master/merge/round_merger.h"

namespace dl::master {

// Thread-safe.
class Staging {
 public:
  struct Staged {
    uint64_t number = 0;   // number of the expectation
    uint64_t session = 0;  // session of the sender
    uint64_t hash = 0;
    Shared<averaging::Magnitudes> magnitudes;
    std::vector<rpc::NamedPart> parts;   // parts that the worker keeps, as announced
    std::shared_ptr<Receiver> receiver;  // shared with the RPC thread that fills it
    SharedVector vector;                 // complete, and verified unless from this process; or null
  };

  // Expects the contribution, in place of an earlier one of the unit. `pool` must outlive its
  // receiver.
  void Expect(const ExpectContribution& effect, FloatBufferPool& pool) DL_EXCLUDES(mutex_);
  // Drops the unit's contribution if it is still the one that was expected under this number.
  void Drop(const DropContribution& effect) DL_EXCLUDES(mutex_);
  // Drops the contributions of all rounds except `round`.
  void DropAllBut(int64_t round) DL_EXCLUDES(mutex_);
  // Drops the contributions of `round` and of all rounds before it.
  void DropThrough(int64_t round) DL_EXCLUDES(mutex_);
  void Clear() DL_EXCLUDES(mutex_);

  // Returns the expected contribution, complete or not. Returns nullopt if none is expected of this
  // unit, or if its hash or session differs. The session must match because other executors also
  // know units and hashes, and their bytes would count as the sender's.
  std::optional<Staged> Find(const UnitId& unit, uint64_t hash, uint64_t session) const
      DL_EXCLUDES(mutex_);

  enum class KeepResult {
    kNotExpected,  // the expectation has ended, so the vector is not kept
    kAlreadyKept,  // it was kept before
    kKept,
  };
  // Keeps the vector that was expected under this number. If it is kept now, calls `first` before
  // another thread can find it. `first` must not call this object.
  KeepResult Keep(const UnitId& unit, uint64_t number, SharedVector vector,
                  absl::FunctionRef<void(const Staged&)> first) DL_EXCLUDES(mutex_);
  // Returns the contributions to be merged, or Internal if one is not staged.
  StatusOr<std::vector<RoundMerger::Contribution>> InputsOf(const Merge& effect) const
      DL_EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::map<UnitId, Staged> staged_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::master
