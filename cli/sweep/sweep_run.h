// Runs the jobs of a sweep on a master: submits them, stops the weak ones, waits for the others.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "cli/command_session.h"
#include "cli/interrupts.h"
#include "cli/jobs/job_history.h"
#include "cli/sweep/halving.h"
#include "cli/sweep/search_space.h"
#include "job/job_spec.h"
#include "launch/submission.h"
#include "rpc/scheduling_fields.h"

namespace dl::cli {

struct SweepPlan {
  std::string name;    // of the sweep and its jobs
  std::string metric;  // figure of the test set, or "train/" and a figure of the training set
  Better better = Better::kSmaller;
  bool halves = false;
  struct Trial {
    TrialSettings settings;
    job::JobSpec spec;
  };
  std::vector<Trial> trials;
};

// A metric of a sweep: "accuracy" of the test set, or "train/accuracy".
struct SweepMetric {
  bool is_of_training = false;
  std::string figure;  // without "train/"
};
SweepMetric ParseSweepMetric(const std::string& metric);

// Keys of the labels by which a sweep finds its jobs. A job of a sweep has all of them.
inline constexpr std::string_view kSweepLabelKeys[] = {"sweep", "trial", "sweep-definition"};

// Returns a hash of everything that decides about the jobs and the decisions of a sweep.
std::string DefinitionOf(const SweepPlan& plan);

// A job of a sweep as the master reports it.
struct SweepTrial {
  std::string job, state, state_sha256;
  int64_t epochs = 0;  // in all
  JobHistory history;
  bool is_read = false;  // it has ended, and all its epochs are in `history`
};

class SweepRun {
 public:
  struct Options {
    const SweepPlan* plan = nullptr;
    rpc::Scheduling scheduling;  // of each job; labels are added
    launch::ImportOptions importing;
    // Receives "trial" for each job, "warning" for each different warning about a submission, and
    // "rung" for each decision (docs/operations/sweeps.md).
    std::function<void(const Json& event)> on_event;
  };
  // All objects in the options, and the session, must outlive this object.
  SweepRun(Options options, Session& session, const Interrupts& interrupts)
      : options_(std::move(options)), session_(session), interrupts_(interrupts) {}

  // Finds the jobs that an earlier command of the same user submitted for the same sweep, and
  // submits the others. Two commands may submit the same sweep at the same time; each job is then
  // submitted once. Returns FailedPrecondition if jobs of this name belong to a sweep with another
  // definition, Cancelled after a signal, and the errors of the import and the submission.
  Status Submit();
  // Follows the jobs until all have ended. With SweepPlan::halves, cancels the jobs that a rung
  // stops. Pauses jobs that wait for the decision of a rung, and resumes them after it. Returns
  // Cancelled after a signal. Returns Unavailable and DeadlineExceeded of the master if they last
  // for a minute, and other errors of the master at once.
  Status Follow();

  // In the order of SweepPlan::trials. Empty before Submit.
  const std::vector<SweepTrial>& trials() const { return trials_; }
  const HalvingPlan& halving() const { return halving_; }
  // Returns the figure that ranks a trial: that of the epoch at which it was stopped, else of its
  // last one.
  std::optional<double> FigureOf(size_t trial) const;

 private:
  Status FindEarlierJobs();
  StatusOr<std::string> SubmitTrial(size_t trial);
  StatusOr<launch::ImportedJob> ImportTrial(size_t trial);
  // Reports the warning with the number of the trial, unless it was reported for another trial.
  void Warn(size_t trial, const std::string& message);
  Status OtherSettings(const std::string& job) const;
  Status Refresh();
  Status RefreshTrial(SweepTrial& trial);
  void Decide();
  Status Act();
  // Requests an action, unless it was requested before and the job's state has not changed since.
  Status Request(SweepTrial& trial, rpc::JobAction action);
  std::optional<double> FigureAt(const EpochFigures& epoch) const;
  TrialProgress ProgressOf(const SweepTrial& trial) const;
  std::vector<std::string> LabelsOf(size_t trial) const;

  const Options options_;
  Session& session_;
  const Interrupts& interrupts_;
  std::string definition_;
  std::vector<SweepTrial> trials_;
  HalvingPlan halving_;
  std::map<std::string, std::pair<std::string, rpc::JobAction>> requested_;  // by job: last one
  std::set<std::string> warnings_;                                           // reported ones
};

}  // namespace dl::cli
