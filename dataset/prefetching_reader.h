// Reads minibatches ahead on a thread of its own, also those of the next unit while the current one
// computes. The same batches in the same order as BatchReader gives. A slot of an executor keeps
// one for its life: thread and buffers are reused from unit to unit.
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

// Open, Next, Hint and the counters belong to one consumer thread; Cancel may come from any.
class PrefetchingReader {
 public:
  // `prefetch_batches` minibatches are held ready beside the one that the consumer has; 0 reads
  // synchronously, without a thread. Error: out of 0..kMaxPrefetchBatches.
  static StatusOr<std::unique_ptr<PrefetchingReader>> Create(int64_t prefetch_batches);
  // Waits for the read under way (its source has a deadline).
  ~PrefetchingReader() DL_EXCLUDES(mutex_);

  // Starts a unit. What a fitting hint read already is used; anything else is thrown away. Errors
  // of the unit's own (BatchReader::Create) come from here or from the first Next.
  Status Open(UnitRead unit) DL_EXCLUDES(mutex_);
  // The unit that probably comes next: it is read as soon as the current one has been. A wrong hint
  // costs the read.
  void Hint(UnitRead unit) DL_EXCLUDES(mutex_);
  // The next minibatch, valid until the next call of Next or Open; nullptr at the end of the unit.
  // An error stays until the next Open. Waits for the reader thread, which every source's deadline
  // bounds.
  StatusOr<const Minibatch*> Next() DL_EXCLUDES(mutex_);
  // Next returns Cancelled from now on, until the next Open. A hint stays. Thread-safe.
  void Cancel() DL_EXCLUDES(mutex_);

  // Sums over the minibatches that Next handed out since Open.
  int64_t examples() const { return examples_; }
  uint64_t example_hash_sum() const { return example_hash_sum_; }

 private:
  struct Request {  // serial 0: none
    uint64_t serial = 0;
    UnitRead unit;
    int started = 0;
  };
  struct Item {  // a batch, the unit's end (no buffer), or an error
    uint64_t serial = 0;
    BatchBuffer* buffer = nullptr;
    Status status;
  };

  explicit PrefetchingReader(int64_t prefetch_batches);
  void ReadAhead() DL_EXCLUDES(mutex_);
  // One batch of `reader`, outside the lock.
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
  std::unique_ptr<BatchReader> direct_;  // of the synchronous mode

  mutable Mutex mutex_;
  CondVar work_, ready_changed_;
  uint64_t last_serial_ DL_GUARDED_BY(mutex_) = 0;
  Request current_ DL_GUARDED_BY(mutex_);
  Request hint_ DL_GUARDED_BY(mutex_);
  uint64_t reading_ DL_GUARDED_BY(mutex_) = 0;  // serial that the thread reads now; 0: none
  std::vector<Item> ready_
      DL_GUARDED_BY(mutex_);  // in order: the current unit's, then the hinted one's
  std::vector<BatchBuffer*> free_ DL_GUARDED_BY(mutex_);
  BatchBuffer* held_ DL_GUARDED_BY(mutex_) = nullptr;     // by the consumer
  std::optional<Status> finished_ DL_GUARDED_BY(mutex_);  // the current unit's end (OK) or error
  bool stopping_ DL_GUARDED_BY(mutex_) = false;
  Thread thread_;  // last: it starts when everything else is there
};

}  // namespace dl::dataset
