#include "executor/engine_memory.h"

#include "executor/job_engine.h"

namespace dl::executor {

void EngineMemory::Join(JobEngines* engines) {
  MutexLock lock(mutex_);
  all_.push_back(engines);
}

void EngineMemory::Leave(JobEngines* engines) {
  MutexLock lock(mutex_);
  std::erase(all_, engines);
}

void EngineMemory::MakeRoom(int64_t bytes) {
  MutexLock lock(mutex_);
  int64_t total = 0;
  for (JobEngines* engines : all_) total += engines->bytes();
  for (JobEngines* engines : all_) {
    // Written without overflow: both values may be very large.
    while (total > bound_ - bytes) {
      const int64_t freed = engines->DropOldest();
      if (freed == 0) break;
      total -= freed;
    }
  }
}

}  // namespace dl::executor
