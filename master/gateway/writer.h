// The durability rule: what the core has stepped is written as one synced batch, and its effects
// leave only behind it. While a batch is written the core goes on, and what it steps meanwhile
// becomes the next one; effects that may leave ahead do not wait.
#pragma once

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

// HandOver and WaitForRoom are for the core's thread alone.
class Writer {
 public:
  struct Options {
    storage::MetaStore* meta = nullptr;  // outlives the writer
    ShellBounds bounds = {};
    // These may leave now, in this order. Called by the core's thread and by the writer's.
    std::function<void(std::vector<Effect>&)> release;
    // Everything that the core steps before it is ready to stop has been written, and has left.
    std::function<void()> ready_to_stop;
    // Called once, from the writer's thread: nothing that follows would be durable, and what waits
    // for the store never leaves.
    std::function<void(const Status&)> failed;
  };
  explicit Writer(Options options);
  ~Writer() { Stop(); }

  // Bytes that the next batch may still take; waits until there are any. None when nothing more
  // will be written.
  std::optional<uint64_t> WaitForRoom() DL_EXCLUDES(mutex_);
  // What may leave does; the rest becomes part of the next batch.
  void HandOver(Output& output, bool ready_to_stop) DL_EXCLUDES(mutex_);
  // Ends when what was handed over before is written; idempotent.
  void Stop() DL_EXCLUDES(mutex_);

 private:
  // What was stepped since the last batch was taken: the next one, and what leaves behind it.
  struct Unwritten {
    storage::MetaBatch batch;
    std::vector<Effect> effects;
    std::vector<std::shared_ptr<const void>> let_go;
    bool published_ahead = false;
    bool ready_to_stop = false;

    bool empty() const {
      return batch.empty() && effects.empty() && let_go.empty() && !ready_to_stop;
    }
  };

  void Run() DL_EXCLUDES(mutex_);
  bool IsReadyStill() DL_EXCLUDES(mutex_);
  // False: the batch is not durable, and nothing is any more.
  bool Persist(const storage::MetaBatch& batch) DL_EXCLUDES(mutex_);

  const Options options_;
  Mutex mutex_;
  CondVar work_;
  CondVar room_;
  Unwritten unwritten_ DL_GUARDED_BY(mutex_);
  // A batch is being written, or what waited for it is leaving.
  bool writing_ DL_GUARDED_BY(mutex_) = false;
  bool ready_to_stop_ DL_GUARDED_BY(mutex_) = false;  // the core, as it said last
  bool stop_ DL_GUARDED_BY(mutex_) = false;
  bool dead_ DL_GUARDED_BY(mutex_) = false;
  Thread thread_;
};

}  // namespace dl::master
