// Deletes the oldest jobs that ended, as far as there are more than are kept. Looked at whenever
// one ends, on a thread of its own.
#pragma once

#include <cstdint>

#include "base/worker_thread.h"
#include "master/gateway/actions.h"
#include "master/gateway/log_lines.h"
#include "master/history.h"
#include "storage/meta_store.h"

namespace dl::master {

// Thread-safe.
class Retention {
 public:
  struct Options {
    int64_t keep_jobs = 0;               // 0: all
    storage::MetaStore* meta = nullptr;  // these outlive it
    Actions* actions = nullptr;
    LogLines* log = nullptr;
  };
  // Begins with what an earlier life did not come to.
  explicit Retention(Options options);

  void JobEnded();

 private:
  void Retain();

  const Options options_;
  History history_;
  WorkerThread thread_{"collection"};
};

}  // namespace dl::master
