// The data that a gathered round waits for, by gather number. Also keeps, until Clear(), the parts
// that workers keep; the rest of each contribution is released.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "base/mutex.h"
#include "master/core/master_events.h"
#include "master/merge/receiver.h"
#include "master/merge/round_state.h"

namespace dl::master {

// Thread-safe.
class Gathers {
 public:
  struct Arriving {
    std::shared_ptr<const ExpectGather> expected;  // shared with the threads that receive or add it
    std::shared_ptr<Receiver> receiver;            // null: the data is complete
  };

  // Starts to expect the data of this gather, `bytes` bytes. Does not wait. `pool` must outlive the
  // receiver.
  void Expect(const ExpectGather& effect, int64_t bytes, FloatBufferPool& pool) DL_EXCLUDES(mutex_);
  void Drop(uint64_t number) DL_EXCLUDES(mutex_);
  // Removes everything, including parts of workers.
  void Clear() DL_EXCLUDES(mutex_);

  // Returns the data of the gather; nullopt if it is not expected or was dropped.
  std::optional<Arriving> Find(uint64_t number) const DL_EXCLUDES(mutex_);
  // Marks the data as complete and checked. Returns false if the gather was dropped. Calls `first`
  // the first time only, before another thread can see the mark. `first` must not call this object.
  bool MarkComplete(uint64_t number, absl::FunctionRef<void()> first) DL_EXCLUDES(mutex_);

  void KeepWorkerPart(const std::string& key, SharedVector part) DL_EXCLUDES(mutex_);
  SharedVector WorkerPart(const std::string& key) const DL_EXCLUDES(mutex_);  // or null

 private:
  mutable Mutex mutex_;
  std::map<uint64_t, Arriving> arriving_ DL_GUARDED_BY(mutex_);
  std::map<std::string, SharedVector> worker_parts_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::master
