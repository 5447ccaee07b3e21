// The bulk side of the master: holds the states of running jobs, stages contributions, merges
// rounds, reads and writes checkpoints. It does what the core's effects say and answers with
// events; it decides nothing.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "averaging/partial_sum.h"
#include "base/float_buffer_pool.h"
#include "base/mutex.h"
#include "base/worker_thread.h"
#include "master/core/events.h"
#include "master/merge/job_state.h"
#include "master/merge/receiver.h"
#include "master/merge/round_merger.h"
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
  };
  // Its end drops what is queued; a checkpoint being written is finished.
  explicit MergeEngine(Options options) : options_(std::move(options)) {}
  ~MergeEngine() { shortage_.Stop(); }

  // How often the engine lacked files or memory, and tried again.
  int64_t shortages() const { return shortage_.count(); }

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
  struct Staged {
    uint64_t number = 0;  // of the expectation
    uint64_t hash = 0;
    averaging::Magnitudes magnitudes;
    std::shared_ptr<Receiver> receiver;  // shared with the RPC thread that fills it
    SharedVector vector;                 // whole and verified; null before
  };
  // What a gather asked for.
  struct Arriving {
    std::shared_ptr<const ExpectGather> expected;  // shared with whoever receives or adds it
    std::shared_ptr<Receiver> receiver;            // null: it is whole
  };
  // A sum that is opened, and what its parts give.
  struct OpenedSum {
    uint64_t number = 0;
    std::shared_ptr<FloatBuffer> content;  // as it came; shared with the receiver
    std::optional<averaging::PartialSum> parts;
    size_t left = 0;  // parts that have not come
  };
  struct JobData {
    explicit JobData(JobMaterial of) : material(std::move(of)), merger(material.strategy) {}
    const JobMaterial material;
    RoundMerger merger;  // used on the merge thread only, like the next
    std::optional<OpenedSum> opened;
    FloatBufferPool pool;                                         // of states and contributions
    std::map<int64_t, std::shared_ptr<const RoundState>> states;  // prepared, merged or published
    int64_t published = -1;
    std::map<UnitId, Staged> staged;
    std::map<uint64_t, Arriving> gathers;              // by their numbers
    std::map<std::string, SharedVector> worker_parts;  // that were gathered, until the merge
    std::map<std::string, std::shared_ptr<Receiver>> expected_parts;
    std::map<std::string, SharedVector> arrived_parts;
  };
  StatusOr<std::shared_ptr<JobData>> DataOf(const std::string& job);
  struct Prepared {
    JobMaterial material;
    RoundState state;
  };
  StatusOr<Prepared> Prepare(const PrepareState& effect);
  StatusOr<RoundState> StateOf(const PrepareState& effect, const JobMaterial& material);
  // A contribution that the core expects, and who sends it.
  struct Sent {
    UnitId unit;
    uint64_t number = 0;
    uint64_t session = 0;
  };
  // Whether a contribution that came whole is what was announced.
  static Status Verify(const JobData& data, const FloatBuffer& vector, uint64_t hash,
                       const averaging::Magnitudes& announced);
  Status Refuse(const Sent& sent, Status status);  // and tells the core
  // Notes the vector of an expected contribution and tells the core. What a stale thread brings, of
  // an expectation that is over, is not taken.
  rpc::ContributionReply Stage(const std::shared_ptr<JobData>& data, const Sent& sent,
                               SharedVector vector);
  // gathering.cc
  StatusOr<rpc::ContributionReply> ContributeGathered(const rpc::ContributionChunk& chunk);
  static Status CheckGathered(const JobData& data, const ExpectGather& expected, uint64_t hash,
                              const FloatBuffer& content);
  void AddGathered(const std::shared_ptr<JobData>& data, const ExpectGather& expected,
                   uint64_t session, const std::shared_ptr<FloatBuffer>& content);
  static Status OpenSum(JobData& data, const ExpectGather& expected,
                        const std::shared_ptr<FloatBuffer>& content);
  // False when the sum is not what its parts give; true while some have not come.
  static StatusOr<bool> Compare(JobData& data, const ExpectGather& expected,
                                const FloatBuffer& content);
  Status KeepWorkerParts(JobData& data, const ExpectGather& expected, const FloatBuffer& content);
  StatusOr<std::shared_ptr<const RoundState>> MergeRound(const Merge& effect);
  StatusOr<std::shared_ptr<const RoundState>> MergeGathered(const Merge& effect);
  // What `close` makes of the mean and the strategy of that; workers' parts are those given, and
  // of others those of `base`.
  StatusOr<std::shared_ptr<const RoundState>> NextState(
      JobData& data, const RoundState& base, std::map<std::string, SharedVector> worker_parts,
      absl::FunctionRef<Status(RoundMerger::Parts)> close);

  Options options_;
  Mutex mutex_;
  // Shared with the threads that work on a job while it is released.
  std::map<std::string, std::shared_ptr<JobData>> jobs_ DL_GUARDED_BY(mutex_);
  uint64_t next_nonce_ = 1;  // of the checkpoint thread
  Shortage shortage_;
  WorkerThread merges_{"merge"};  // these two last: they end first
  WorkerThread checkpoints_{"checkpoint"};
};

}  // namespace dl::master
