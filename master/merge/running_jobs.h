// The merge engine's data of each running job: from its first prepared state until it is released.
// The members are thread-safe, except those that only the merge thread uses.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/float_buffer_pool.h"
#include "base/mutex.h"
#include "base/status.h"
#include "master/merge/gathered_round.h"
#include "master/merge/gathers.h"
#include "master/merge/layer_measures.h"
#include "master/merge/offered_parts.h"
#include "master/merge/round_merger.h"
#include "master/merge/round_state.h"
#include "master/merge/round_states.h"
#include "master/merge/staging.h"
#include "master/merge/traffic_meter.h"

namespace dl::master {

struct JobData {
  explicit JobData(JobMaterial of) : material(std::move(of)) {}

  const JobMaterial material;
  FloatBufferPool pool;  // memory for states and contributions
  RoundStates states;
  Staging staging;
  Gathers gathers;
  OfferedParts offered;
  TrafficMeter traffic;
  // These are used on the merge thread only.
  RoundMerger merger{material.strategy};
  LayerMeasures layers{material};
  GatheredRound gathered{material, pool, merger};
};

// Thread-safe.
class RunningJobs {
 public:
  // Shared with threads that still use a job when it is released.
  using Data = std::shared_ptr<JobData>;

  Data Find(const std::string& job) const DL_EXCLUDES(mutex_);           // or null
  StatusOr<Data> Get(const std::string& job) const DL_EXCLUDES(mutex_);  // or NotFound
  // Returns the job. If it does not exist, adds it with `material` first.
  Data FindOrAdd(const std::string& job, JobMaterial material) DL_EXCLUDES(mutex_);
  // Forgets the job, if it exists. Threads that use its data keep them.
  void Release(const std::string& job) DL_EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::map<std::string, Data> jobs_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::master
