// Contributions of a job's open round as they come. Each is expected from its acceptance on; its
// chunks fill a receiver, and when it is whole and verified its vector stays until the round is
// merged.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/mutex.h"
#include "base/status.h"
#include "master/core/events.h"
#include "master/merge/receiver.h"
#include "master/merge/round_merger.h"

namespace dl::master {

// Thread-safe.
class Staging {
 public:
  struct Staged {
    uint64_t number = 0;   // of the expectation
    uint64_t session = 0;  // that sends it
    uint64_t hash = 0;
    Shared<averaging::Magnitudes> magnitudes;
    std::vector<rpc::NamedPart> parts;   // that the worker keeps, as announced
    std::shared_ptr<Receiver> receiver;  // shared with the RPC thread that fills it
    SharedVector vector;                 // whole and verified; null before
  };

  // `pool` outlives what is expected.
  void Expect(const ExpectContribution& effect, FloatBufferPool& pool) DL_EXCLUDES(mutex_);
  void Drop(const DropContribution& effect) DL_EXCLUDES(mutex_);
  void DropAllBut(int64_t round) DL_EXCLUDES(mutex_);
  void DropThrough(int64_t round) DL_EXCLUDES(mutex_);
  void Clear() DL_EXCLUDES(mutex_);

  // None where nothing of that hash is expected of the unit, or not of that session: others know
  // units and hashes too, and their bytes would count as the sender's.
  std::optional<Staged> Find(const UnitId& unit, uint64_t hash, uint64_t session) const
      DL_EXCLUDES(mutex_);

  enum class Kept {
    kNot,     // of an expectation that is over: what a stale thread brings is not taken
    kBefore,  // it has been
    kNow,
  };
  // The vector that was expected under this number. `first` is called when it is kept now, before
  // anybody else can find it; it does not call back.
  Kept Keep(const UnitId& unit, uint64_t number, SharedVector vector,
            absl::FunctionRef<void(const Staged&)> first) DL_EXCLUDES(mutex_);
  // Everything that the round is to be made of; Internal when some of it is not staged.
  StatusOr<std::vector<RoundMerger::Contribution>> InputsOf(const Merge& effect) const
      DL_EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::map<UnitId, Staged> staged_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::master
