// Changes the states of all running jobs, one task at a time: prepares states, adds contributions
// as they arrive, and merges a round into the next state. Answers with events for the core.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/status.h"
#include "base/work_queue.h"
#include "master/core/master_events.h"
#include "master/merge/round_state.h"
#include "master/merge/running_jobs.h"
#include "master/merge/shortage_retries.h"
#include "storage/checkpoint_store.h"

namespace dl::master {

// Thread-safe. Tasks run in the order of the calls, on the queue "merge".
class MergeWork {
 public:
  struct Options {
    RunningJobs* jobs = nullptr;  // these three must outlive this object
    storage::CheckpointStore* checkpoints = nullptr;
    ShortageRetries* shortage = nullptr;
    // See MergeEngine::Options for this and `post`.
    std::function<StatusOr<JobMaterial>(const std::string& job)> material;
    std::function<void(Event)> post;
    MakeWorkQueue make_queue;
  };
  explicit MergeWork(Options options)
      : options_(std::move(options)), queue_(options_.make_queue("merge")) {}

  // Prepare a state (answered by StatePrepared) and merge a round (RoundMerged). If memory or file
  // descriptors are short, they are tried again for ShortageRetries::kRetryTimeout, and later tasks
  // wait.
  void Post(const PrepareState& effect);
  void Post(const Merge& effect);
  // Begin a round, begin the gather of a round, and add a staged contribution to a round. They have
  // no answer: the merge of the round reports an error.
  void Open(RunningJobs::Data data, const OpenRound& effect);
  void Open(RunningJobs::Data data, const OpenGather& effect);
  void Add(RunningJobs::Data data, const UnitId& unit, const Staging::Staged& contribution);
  // Adds complete and verified data of a gather from this session. Answered by Gathered,
  // GatherRefused or SumContradicted; not answered if the gather is no longer expected.
  void AddGathered(RunningJobs::Data data, std::shared_ptr<const ExpectGather> expected,
                   uint64_t session, std::shared_ptr<FloatBuffer> content);

 private:
  using State = RoundStates::State;
  struct Prepared {
    JobMaterial material;
    RoundState state;
  };
  struct Merged {
    State state;
    std::vector<averaging::LayerStatistics> layers;
    LayerMeasures::Histograms histograms;
  };

  // The functions below run as tasks of the queue.
  StatusOr<Prepared> Prepare(const PrepareState& effect);
  StatusOr<RoundState> StateOf(const PrepareState& effect, const JobMaterial& material);
  StatusOr<RoundState> StateOfOffers(const PrepareState& effect);
  Event AddNow(JobData& data, const ExpectGather& expected, uint64_t session,
               const std::shared_ptr<FloatBuffer>& content);
  StatusOr<Merged> MergeRound(const Merge& effect);
  StatusOr<Merged> MergeStaged(JobData& data, const Merge& effect, const RoundState& base);
  StatusOr<Merged> MergeGathered(JobData& data, const Merge& effect, const RoundState& base);
  // How a round becomes the next state.
  struct Closing {
    // Writes the mean to all global parts.
    absl::FunctionRef<Status(RoundMerger::Parts)> close;
    // Returns the drift of the layers. `mean` is the model part of the mean.
    absl::FunctionRef<std::vector<double>(std::span<const float> mean)> drift;
  };
  // Returns the next state, which the strategy computes from the mean. Workers have the parts in
  // `worker_parts`, or else those of `base`.
  StatusOr<Merged> NextState(JobData& data, int64_t round, const RoundState& base,
                             std::map<std::string, SharedVector> worker_parts,
                             const Closing& closing);

  const Options options_;
  const std::unique_ptr<WorkQueue> queue_;  // last member, so that it is destroyed first
};

}  // namespace dl::master
