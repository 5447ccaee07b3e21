// What a round that is gathered waits for, by the numbers of its gathers, and what its workers keep
// to themselves of what came: those parts stay until the round is merged, the rest is let go.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "base/mutex.h"
#include "master/core/events.h"
#include "master/merge/job_state.h"
#include "master/merge/receiver.h"

namespace dl::master {

// Thread-safe.
class Gathers {
 public:
  struct Arriving {
    std::shared_ptr<const ExpectGather> expected;  // shared with whoever receives or adds it
    std::shared_ptr<Receiver> receiver;            // null: it is whole
  };

  // `pool` outlives what is expected.
  void Expect(const ExpectGather& effect, int64_t bytes, FloatBufferPool& pool) DL_EXCLUDES(mutex_);
  void Drop(uint64_t number) DL_EXCLUDES(mutex_);
  // The workers' parts too.
  void Clear() DL_EXCLUDES(mutex_);

  std::optional<Arriving> Find(uint64_t number) const DL_EXCLUDES(mutex_);
  // It is whole and verified; false when nobody waits for it any more. `first` is called the first
  // time only, before anybody else can find it so; it does not call back.
  bool NoteWhole(uint64_t number, absl::FunctionRef<void()> first) DL_EXCLUDES(mutex_);

  void KeepWorkerPart(const std::string& key, SharedVector part) DL_EXCLUDES(mutex_);
  SharedVector WorkerPart(const std::string& key) const DL_EXCLUDES(mutex_);  // or null

 private:
  mutable Mutex mutex_;
  std::map<uint64_t, Arriving> arriving_ DL_GUARDED_BY(mutex_);
  std::map<std::string, SharedVector> worker_parts_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::master
