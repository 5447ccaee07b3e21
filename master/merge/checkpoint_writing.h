// Writes states of running jobs to the disk and deletes old checkpoints, on a work queue of its
// own. A state is immutable, so training continues during the write.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/work_queue.h"
#include "master/core/master_events.h"
#include "master/merge/round_states.h"
#include "master/merge/shortage_retries.h"
#include "storage/checkpoint_store.h"

namespace dl::master {

// Thread-safe.
class CheckpointWriting {
 public:
  struct Options {
    storage::CheckpointStore* checkpoints = nullptr;  // these two must outlive this object
    ShortageRetries* shortage = nullptr;
    uint64_t term = 0;
    std::function<void(Event)> post;
    MakeWorkQueue make_queue;
  };
  explicit CheckpointWriting(Options options)
      : options_(std::move(options)), queue_(options_.make_queue("checkpoint")) {}

  // Writes `state` and posts CheckpointWritten, with the error of CheckpointStore::Write, or with
  // Internal if `state` is null.
  void Write(const WriteCheckpoint& effect, RoundStates::State state);
  // Deletes the chunks of a checkpoint. Chunks that remain after an error are deleted when the
  // master next starts.
  void Delete(const DeleteCheckpoint& effect);

 private:
  const Options options_;
  uint64_t next_nonce_ = 1;                 // used only by tasks of the queue
  const std::unique_ptr<WorkQueue> queue_;  // last member, so that it is destroyed first
};

}  // namespace dl::master
