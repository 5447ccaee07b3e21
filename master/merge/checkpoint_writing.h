// Writes states of running jobs to the disk and deletes old checkpoints, on a queue of its own. A
// state is immutable, so training continues during the write.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/work_queue.h"
#include "master/core/events.h"
#include "master/merge/round_states.h"
#include "master/merge/shortage.h"
#include "storage/checkpoint_store.h"

namespace dl::master {

// Thread-safe.
class CheckpointWriting {
 public:
  struct Options {
    storage::CheckpointStore* checkpoints = nullptr;  // these two outlive it
    Shortage* shortage = nullptr;
    uint64_t term = 0;
    std::function<void(Event)> post;
    MakeWorkQueue make_queue;
  };
  explicit CheckpointWriting(Options options)
      : options_(std::move(options)), queue_(options_.make_queue("checkpoint")) {}

  // Answers with CheckpointWritten; an Internal one where there is no such state.
  void Write(const WriteCheckpoint& effect, RoundStates::State state);
  void Delete(const DeleteCheckpoint& effect);

 private:
  const Options options_;
  uint64_t next_nonce_ = 1;                 // used by the pieces of the queue alone
  const std::unique_ptr<WorkQueue> queue_;  // last: it ends first
};

}  // namespace dl::master
