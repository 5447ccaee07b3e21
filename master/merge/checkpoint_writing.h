// States of running jobs go to the disk, on a thread of their own, and old checkpoints from it. A
// state is immutable, so training goes on meanwhile.
#pragma once

#include <cstdint>
#include <functional>

#include "base/worker_thread.h"
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
  };
  explicit CheckpointWriting(Options options) : options_(std::move(options)) {}

  // Answers with CheckpointWritten; an Internal one where there is no such state.
  void Write(const WriteCheckpoint& effect, RoundStates::State state);
  void Delete(const DeleteCheckpoint& effect);

 private:
  const Options options_;
  uint64_t next_nonce_ = 1;  // of the thread
  WorkerThread thread_{"checkpoint"};
};

}  // namespace dl::master
