// The bulk side of the master: holds the states of running jobs, stages contributions, merges
// rounds, reads and writes checkpoints. It does what the core's effects say and answers with
// events; it decides nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/status.h"
#include "base/work_queue.h"
#include "master/core/events.h"
#include "master/merge/checkpoint_writing.h"
#include "master/merge/job_state.h"
#include "master/merge/merge_work.h"
#include "master/merge/receiving.h"
#include "master/merge/running_jobs.h"
#include "master/merge/shortage.h"
#include "rpc/messages.h"
#include "storage/checkpoint_store.h"

namespace dl::master {

// Thread-safe.
class MergeEngine {
 public:
  struct Options {
    storage::CheckpointStore* checkpoints = nullptr;  // outlives the engine
    uint64_t term = 0;
    std::function<StatusOr<JobMaterial>(const std::string& job)> material;
    std::function<void(Event)> post;  // into the core's queue; thread-safe
    MakeWorkQueue make_queue = StartWorkerThread;
  };
  // Its end drops what is queued; a checkpoint being written is finished.
  explicit MergeEngine(Options options);
  ~MergeEngine() { shortage_.Stop(); }

  // What of the master's work lacked files or memory, and was tried again.
  Shortage& shortage() { return shortage_; }

  void Do(const PrepareState& effect);
  void Do(const OpenRound& effect);
  void Do(const ExpectContribution& effect);
  void Do(const DropContribution& effect);
  void Do(const OpenGather& effect);
  void Do(const ExpectGather& effect);
  void Do(const DropGather& effect);
  void Do(const Merge& effect);
  void Do(const Publish& effect);
  void Do(const Retire& effect);
  void Do(const ExpectPart& effect);
  void Do(const WriteCheckpoint& effect);
  void Do(const DeleteCheckpoint& effect);
  void Do(const ReleaseJob& effect);

  StatusOr<rpc::Chunk> FetchPart(const rpc::FetchRequest& request);
  StatusOr<rpc::ContributionReply> Contribute(const rpc::ContributionChunk& chunk);
  // The same without a transfer, for executors in this process: the vector is taken as it is, and
  // nobody changes it any more.
  StatusOr<rpc::ContributionReply> Contribute(uint64_t session, const UnitId& unit, uint64_t hash,
                                              SharedVector vector);
  // The part of the published state, or null.
  SharedVector FindPart(const std::string& job, const std::string& sha256);
  Status OfferPart(const rpc::OfferChunk& chunk);

 private:
  RoundStates::State Published(const std::string& job) const;  // or null

  const std::function<void(Event)> post_;
  RunningJobs jobs_;
  Shortage shortage_;
  MergeWork merges_;
  Receiving receiving_;
  CheckpointWriting checkpoints_;
};

}  // namespace dl::master
