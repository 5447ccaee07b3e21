// Reads minibatches ahead on a thread of its own. When all minibatches of the current unit are
// read, reads those of the next unit. Returns the same batches in the same order as BatchReader. A
// slot of an executor has one reader for each job in its memory (executor/job_engine.h). The units
// of the job reuse the thread and the buffers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "base/thread.h"
#include "dataset/batch_reader.h"

namespace dl::dataset {

// Open, Next, Hint and the counters must be called by one consumer thread. Cancel may be called by
// any thread.
class PrefetchingReader {
 public:
  // Keeps up to `prefetch_batches` minibatches ready besides the minibatch that the consumer has.
  // With 0, or if the system starts no thread, reads synchronously and ignores hints. Returns
  // InvalidArgument if the number is not in 0..kMaxPrefetchBatches.
  static StatusOr<std::unique_ptr<PrefetchingReader>> Create(int64_t prefetch_batches);
  // Waits for a running read, which is bounded by the deadline of its source.
  ~PrefetchingReader() DL_EXCLUDES(mutex_);

  // Makes `unit` the current unit, without waiting. Uses batches that were read because of a hint
  // for the same unit. Discards all other batches and the hint. Errors of BatchReader::Create are
  // returned by the next call of Next, or here in synchronous mode.
  Status Open(UnitRead unit) DL_EXCLUDES(mutex_);
  // Names the unit that probably comes next. It is read after the current unit. A new hint replaces
  // the earlier one and discards its batches. A wrong hint changes no result.
  void Hint(UnitRead unit) DL_EXCLUDES(mutex_);
  // Returns the next minibatch, or nullptr at the end of the unit. The minibatch is valid until the
  // next call of Next or Open. Errors are those of BatchReader; FailedPrecondition if no unit is
  // open. With a thread, an error is returned again until the next Open; in synchronous mode, the
  // next call tries again. Waits until a minibatch is read, bounded by the deadline of the source.
  StatusOr<const Minibatch*> Next() DL_EXCLUDES(mutex_);
  // Makes Next return Cancelled until the next Open. Ends a call of Next that waits for the thread,
  // but not a synchronous read. Keeps the hint and its batches. Thread-safe.
  void Cancel() DL_EXCLUDES(mutex_);

  // Sums over the minibatches that Next returned since Open.
  int64_t examples() const { return examples_; }
  uint64_t example_hash_sum() const { return example_hash_sum_; }

 private:
  struct Request {  // serial 0: none
    uint64_t serial = 0;
    UnitRead unit;
    int started = 0;
  };
  struct Item {  // a batch, the end of the unit (no buffer), or an error
    uint64_t serial = 0;
    BatchBuffer* buffer = nullptr;
    Status status;
  };

  explicit PrefetchingReader(int64_t prefetch_batches);
  void ReadAhead() DL_EXCLUDES(mutex_);
  // Reads one batch with `reader`, outside of the lock.
  Item ReadOne(uint64_t serial, std::unique_ptr<BatchReader>& reader, const UnitRead& unit,
               BatchBuffer* buffer);
  Request* NextToStart() DL_REQUIRES(mutex_);
  bool IsLive(uint64_t serial) const DL_REQUIRES(mutex_);
  void DropStale() DL_REQUIRES(mutex_);
  void Release(BatchBuffer* buffer) DL_REQUIRES(mutex_);
  StatusOr<const Minibatch*> NextSynchronously();
  const Minibatch* HandOut(const BatchBuffer& buffer);

  bool synchronous_;                                   // set before the thread starts
  std::vector<std::unique_ptr<BatchBuffer>> buffers_;  // all of them
  int64_t examples_ = 0;
  uint64_t example_hash_sum_ = 0;
  std::unique_ptr<BatchReader> direct_;  // for the synchronous mode

  mutable Mutex mutex_;
  CondVar work_, ready_changed_;
  uint64_t last_serial_ DL_GUARDED_BY(mutex_) = 0;
  Request current_ DL_GUARDED_BY(mutex_);
  Request hint_ DL_GUARDED_BY(mutex_);
  uint64_t reading_ DL_GUARDED_BY(mutex_) = 0;  // serial of the unit that the thread reads; 0: none
  std::vector<Item> ready_
      DL_GUARDED_BY(mutex_);  // those of the current unit, then those of the hinted unit
  std::vector<BatchBuffer*> free_ DL_GUARDED_BY(mutex_);
  BatchBuffer* held_ DL_GUARDED_BY(mutex_) = nullptr;     // held by the consumer
  std::optional<Status> finished_ DL_GUARDED_BY(mutex_);  // end (OK) or error of the current unit
  bool stopping_ DL_GUARDED_BY(mutex_) = false;
  Thread thread_;  // last member, because it uses the others
};

}  // namespace dl::dataset
