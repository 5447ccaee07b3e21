// The durability rule: the records of all steps since the last batch are written as one synced
// batch, and effects leave only afterwards. The core continues during a write; its steps become the
// next batch. Effects that may leave ahead do not wait.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "base/thread.h"
#include "master/core/master_events.h"
#include "master/gateway/shell_bounds.h"
#include "storage/meta_store.h"

namespace dl::master {

// Writes batches on a thread of its own. HandOver and WaitForRoom may be called only by the core's
// thread, WaitsForStore by any thread.
class Writer {
 public:
  struct Options {
    storage::MetaStore* meta = nullptr;  // must outlive the writer
    ShellBounds bounds = {};
    // Called with effects that may leave now, in this order. Must be thread-safe: the core's thread
    // and the writer's thread may call it at the same time.
    std::function<void(std::vector<Effect>&)> release;
    // Called after a HandOver with `ready_to_stop`, when the output of this and of all earlier
    // calls is durable and released. Not called if a later HandOver has withdrawn `ready_to_stop`.
    // May be called several times, on the core's thread or the writer's thread.
    std::function<void()> ready_to_stop;
    // Called once, on the writer's thread, if the store failed. The writer then writes no further
    // batch and does not release the effects that wait for one.
    std::function<void(const Status&)> failed;
  };
  explicit Writer(Options options);
  ~Writer() { Stop(); }

  // Waits until the next batch is below the limits of ShellBounds, and returns how many bytes it
  // may still take. Returns nullopt after Stop() was called or the store has failed.
  std::optional<uint64_t> WaitForRoom() DL_EXCLUDES(mutex_);
  // Releases the effects that may leave before their records are durable (Output::ahead). Adds the
  // rest of the output to the next batch. Releases Output::effects at once instead if no batch is
  // being written or waits, and Output::batch and Output::let_go are empty. Leaves `output` in an
  // unspecified state. `ready_to_stop`: whether the core may stop after these steps
  // (Core::ReadyToStop).
  void HandOver(Output& output, bool ready_to_stop) DL_EXCLUDES(mutex_);
  // Returns whether a call of the store is in progress. If it lasts, the disk hangs.
  bool WaitsForStore() const { return waits_for_store_; }
  // Waits until everything that was handed over before is written and released, or the store has
  // failed. Records that are handed over during the call may be written. Records that are
  // handed over after it are not written. Idempotent. Must not be called by the writer's thread.
  void Stop() DL_EXCLUDES(mutex_);

 private:
  // The steps since the last batch was taken: the next batch, and what leaves after it.
  struct Unwritten {
    storage::MetaBatch batch;
    std::vector<Effect> effects;
    std::vector<std::shared_ptr<const void>> let_go;
    bool published_ahead = false;  // a state of these steps was published before its record
    bool ready_to_stop = false;    // as stated by the last of these steps

    bool empty() const {
      return batch.empty() && effects.empty() && let_go.empty() && !ready_to_stop;
    }
  };

  void Run() DL_EXCLUDES(mutex_);
  bool IsStillReadyToStop()
      DL_EXCLUDES(mutex_);  // whether the last HandOver stated `ready_to_stop`
  // Returns false if the batch is not durable. No later batch is durable either.
  bool Persist(const storage::MetaBatch& batch) DL_EXCLUDES(mutex_);

  const Options options_;
  std::atomic<bool> waits_for_store_ = false;
  Mutex mutex_;
  CondVar work_;
  CondVar room_;
  Unwritten unwritten_ DL_GUARDED_BY(mutex_);
  // A batch is being written, or its effects are leaving.
  bool writing_ DL_GUARDED_BY(mutex_) = false;
  bool ready_to_stop_ DL_GUARDED_BY(mutex_) = false;  // as last stated by the core
  bool stop_ DL_GUARDED_BY(mutex_) = false;
  bool dead_ DL_GUARDED_BY(mutex_) = false;
  Thread thread_;
};

}  // namespace dl::master
