// Snapshots of jobs, for reports. A view consists of plain values and has no pointers into the
// core, so any thread may read it. records/report_record.h writes the JSON.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/status.h"
#include "master/core/job/counts.h"
#include "master/core/job/job_state.h"
#include "rpc/remedy.h"
#include "rpc/scheduling_fields.h"

namespace dl::nn {
class MetricSums;
}

namespace dl::master {

struct Attestations;
struct Job;

struct MetricsView {
  double loss = 0;
  std::optional<double> accuracy;  // nullopt: the loss has no classes
};
MetricsView MakeMetricsView(const nn::MetricSums& sums);

// Quarantined executors on whose unconfirmed results a job rests.
struct DistrustView {
  std::map<std::string, int64_t> since_round;  // executor -> Attestations::unverified_since
  std::vector<std::string> source;             // executors on which the source checkpoint rests
};

// The result of a job that has ended, or the progress of a job that has not.
struct ResultView {
  struct EarlyStopping {
    std::string metric;
    double best = 0;
    int64_t round = 0;
  };

  std::string job;
  JobState state = JobState::kQueued;
  Reason reason = Reason::kNone;
  int64_t attempt = 1;
  int64_t epochs = 0, rounds = 0,
          examples = 0;      // complete epochs, committed rounds, their examples
  std::string state_sha256;  // of the last committed round; may be empty
  // Training metrics of the last round's epoch up to that round; metrics of the last evaluation.
  std::optional<MetricsView> train, test;
  double wall_seconds = 0;      // running time over all starts of the master
  Traffic traffic;              // since the master's start
  int64_t bytes_per_round = 0;  // mean of `traffic` over the rounds merged since then
  // Newest checkpoint that is not set aside, "JOB@ROUND"; empty: none. It may be unusable.
  std::string checkpoint;
  std::string kernel_contract;
  std::optional<EarlyStopping> early_stopping;  // nullopt: not enabled, or no best round yet
  int64_t rollbacks = 0;
  DistrustView distrust;
  Status error;

  // Returns `examples` by `wall_seconds`; 0 if no running time is known.
  double examples_per_second() const {
    return wall_seconds > 0 ? static_cast<double>(examples) / wall_seconds : 0.0;
  }
};

// A unit of the open round or evaluation. `steps_*` are the maxima over its leases; 0 without a
// lease, and before the first heartbeat that lists it.
struct UnitView {
  UnitKind kind = UnitKind::kTrain;
  int32_t index = 0;
  int64_t round = 0;
  bool settled = false;
  int64_t steps_done = 0, steps_total = 0;
  std::vector<std::string> leased_to;  // executors
};

// Registered executors that get none of a job's units.
struct ExcludedView {
  std::vector<std::string> for_contract;  // their kernel contracts differ from the job's
  std::vector<std::string> for_memory;    // a unit exceeds their memory
  std::vector<std::string> for_labels;    // they do not have all labels that the job requires
};

struct QueueView {
  int64_t position = 0;            // from 1
  std::vector<std::string> ahead;  // the first jobs before it, at most ten
};

struct JobView {
  ResultView result;
  std::string name, owner, message;
  rpc::Remedy remedy;                                // about the message
  int64_t submitted_unix_ms = 0, ended_unix_ms = 0;  // 0: not ended, or not recorded
  int64_t epochs_total = 0, rounds_total = 0;
  int64_t workers = 0;
  uint64_t seed = 0;
  Counts counts;
  std::map<std::string, int32_t> killed;  // executor -> times in a row that it was killed
  ExcludedView excluded;
  rpc::Scheduling scheduling;
  int64_t unit_memory_bytes = 0;
  // worker -> the executor to which it was leased last, which probably has its data (Affinity)
  std::map<int32_t, std::string> placement;
  std::vector<UnitView> units;
  std::optional<QueueView> queue;  // only of a queued job, if it was asked for
};

// `wall_seconds` is the total running time over all starts of the master. `quarantined` holds
// executor names.
ResultView MakeResultView(const Job& job, double wall_seconds,
                          const std::set<std::string>& quarantined);
// Returns the view of the job with this result. Leaves `excluded` and `queue` empty.
JobView MakeJobView(const Job& job, ResultView result);
// Returns the quarantined executors on whose unconfirmed results rounds up to `last` rest, or the
// source checkpoint. A live job with verification rolls back to before the first such round.
DistrustView MakeDistrustView(const Attestations& attestations, int64_t last,
                              const std::set<std::string>& quarantined);

}  // namespace dl::master
