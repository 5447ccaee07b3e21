#include "cli/sweep/sweep_run.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/limits.h"
#include "cli/exit_code.h"
#include "cli/jobs/job_action.h"
#include "cli/jobs/job_events.h"
#include "cli/jobs/job_query.h"
#include "cli/output/json_fields.h"
#include "job/validate.h"
#include "launch/all_jobs.h"
#include "launch/pause.h"

namespace dl::cli {
namespace {

constexpr Duration kPollPause = std::chrono::milliseconds(200);
constexpr int64_t kAcceptedAgeMs = 200;                   // of the state of a trial
constexpr Duration kPatience = std::chrono::seconds(60);  // with an unreachable master

bool MayPass(const Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
}

std::string SweepLabel(const SweepPlan& plan) { return "sweep=" + plan.name; }

// Returns the labels of a job as the master lists it.
std::set<std::string> LabelsIn(const Json& job) {
  std::set<std::string> labels;
  const Json* scheduling = Member(job, "scheduling");
  const Json* list = scheduling == nullptr ? nullptr : Member(*scheduling, "labels");
  if (list == nullptr) return labels;
  for (const Json& label : *list) {
    if (label.is_string()) labels.insert(label.get<std::string>());
  }
  return labels;
}

}  // namespace

SweepMetric ParseSweepMetric(const std::string& metric) {
  constexpr std::string_view kTraining = "train/";
  const bool is_of_training = metric.starts_with(kTraining);
  return {is_of_training, is_of_training ? metric.substr(kTraining.size()) : metric};
}

std::string DefinitionOf(const SweepPlan& plan) {
  Json specs = Json::array();
  for (const SweepPlan::Trial& trial : plan.trials) specs.push_back(job::ToJson(trial.spec));
  const Json definition = {{"jobs", std::move(specs)},
                           {"metric", plan.metric},
                           {"larger", plan.better == Better::kLarger},
                           {"halving", plan.halves}};
  return Sha256Hex(JsonText(definition)).substr(0, 16);
}

std::vector<std::string> SweepRun::LabelsOf(size_t trial) const {
  return {SweepLabel(*options_.plan), absl::StrCat("trial=", trial + 1),
          absl::StrCat("sweep-definition=", definition_)};
}

Status SweepRun::FindEarlierJobs() {
  const SweepPlan& plan = *options_.plan;
  DL_ASSIGN_OR_RETURN(const Json jobs, launch::AllJobs(session_.client()));
  for (const Json& job : jobs) {
    const std::set<std::string> labels = LabelsIn(job);
    if (!labels.contains(SweepLabel(plan))) continue;
    if (!labels.contains(LabelsOf(0).back())) {
      return WithExitCode(
          FailedPrecondition(
              {.message = absl::StrCat("the sweep ", plan.name, " has jobs with other settings"),
               .where = TextAt(job, "job"),
               .remedy = "Give all flags of the first command to continue it, or another --name"}),
          kFailed);
    }
    for (size_t i = 0; i < trials_.size(); ++i) {
      if (labels.contains(LabelsOf(i)[1])) trials_[i].job = TextAt(job, "job");
    }
  }
  return absl::OkStatus();
}

Status SweepRun::Submit() {
  definition_ = DefinitionOf(*options_.plan);
  trials_.resize(options_.plan->trials.size());
  DL_RETURN_IF_ERROR(FindEarlierJobs());
  for (size_t i = 0; i < trials_.size(); ++i) {
    if (interrupts_.stop()) return Cancelled({.message = "interrupted"});
    if (trials_[i].job.empty()) {
      DL_ASSIGN_OR_RETURN(trials_[i].job, SubmitTrial(i));
    }
    Json settings = Json::object();
    for (const TrialSetting& setting : options_.plan->trials[i].settings)
      settings[setting.path] = setting.value;
    options_.on_event({{"type", "trial"},
                       {"sweep", options_.plan->name},
                       {"trial", i + 1},
                       {"job", trials_[i].job},
                       {"settings", std::move(settings)}});
  }
  return absl::OkStatus();
}

// The master accepts a request id once, so a job whose answer was lost is not submitted twice.
StatusOr<std::string> SweepRun::SubmitTrial(size_t trial) {
  constexpr int kMostDeleted = 100;
  const auto imported =
      launch::ImportJob(options_.plan->trials[trial].spec, options_.importing, session_.client());
  if (!imported.ok()) return AsDataError(imported.status());
  // The spec was valid by itself, so the mistake is in the content of the files.
  DL_RETURN_IF_ERROR(AsDataError(job::ValidateJob(imported->spec)));
  launch::SubmitOptions submitting{.scheduling = options_.scheduling,
                                   .health = [&] { return session_.cluster->Health(); }};
  for (const std::string& label : LabelsOf(trial)) submitting.scheduling.labels.push_back(label);
  for (int deleted = 0; deleted <= kMostDeleted; ++deleted) {
    submitting.request_id =
        absl::StrCat("sweep-", options_.plan->name, "-", definition_, "-", trial + 1, "-", deleted);
    DL_ASSIGN_OR_RETURN(
        const rpc::SubmitReply reply,
        launch::SubmitJob(*imported, submitting, session_.client(), limits::kSubmitLimit));
    const auto job = QueryJob(session_.client(), reply.job);
    if (job.ok()) return reply.job;
    // A job of this request was deleted since, and the master remembers the request.
    if (!absl::IsNotFound(job.status())) return job.status();
  }
  return FailedPrecondition({.message = "the jobs of this sweep were deleted again and again",
                             .where = options_.plan->name,
                             .remedy = "Give another --name"});
}

Status SweepRun::RefreshTrial(SweepTrial& trial) {
  if (trial.is_read) return absl::OkStatus();
  DL_ASSIGN_OR_RETURN(const Json job, QueryJob(session_.client(), trial.job, kAcceptedAgeMs));
  trial.state = TextAt(job, "state");
  trial.state_sha256 = TextAt(job, "state_sha256");
  trial.epochs = IntegerAt(job, "epochs_total");
  const bool has_ended = HasEnded(job);
  if (has_ended || IntegerAt(job, "epochs") != std::ssize(trial.history.epochs())) {
    JobHistory history;
    DL_RETURN_IF_ERROR(ForEachEvent(session_.client(), trial.job, [&](const Json& event) {
      history.Add(event);
      return true;
    }));
    trial.history = std::move(history);
  }
  // A job that was cancelled goes on if it is resumed, which a sweep does not do.
  trial.is_read = has_ended;
  return absl::OkStatus();
}

Status SweepRun::Refresh() {
  for (SweepTrial& trial : trials_) {
    if (interrupts_.stop()) return Cancelled({.message = "interrupted"});
    DL_RETURN_IF_ERROR(RefreshTrial(trial));
  }
  return absl::OkStatus();
}

std::optional<double> SweepRun::FigureAt(const EpochFigures& epoch) const {
  const SweepMetric metric = ParseSweepMetric(options_.plan->metric);
  const auto& figures = metric.is_of_training ? epoch.train : epoch.test;
  const auto found = figures.find(metric.figure);
  return found == figures.end() ? std::nullopt : std::optional(found->second);
}

TrialCourse SweepRun::CourseOf(const SweepTrial& trial) const {
  TrialCourse course{.epochs = std::max<int64_t>(1, trial.epochs),
                     .has_ended = trial.is_read,
                     .has_failed = trial.is_read && trial.state != "SUCCEEDED"};
  for (const EpochFigures& epoch : trial.history.epochs()) {
    // A figure counts if all epochs before it are known.
    if (epoch.epoch != std::ssize(course.figures) + 1) break;
    course.figures.push_back(FigureAt(epoch));
  }
  return course;
}

std::optional<double> SweepRun::FigureOf(size_t trial) const {
  const std::vector<std::optional<double>> figures = CourseOf(trials_[trial]).figures;
  const int64_t stopped = halving_.stopped_at.empty() ? 0 : halving_.stopped_at[trial];
  const int64_t count = stopped == 0 ? std::ssize(figures) : std::min(stopped, std::ssize(figures));
  return count == 0 ? std::nullopt : figures[static_cast<size_t>(count - 1)];
}

void SweepRun::Decide() {
  if (!options_.plan->halves) return;
  std::vector<TrialCourse> courses;
  for (const SweepTrial& trial : trials_) courses.push_back(CourseOf(trial));
  HalvingPlan plan = PlanHalving(courses, options_.plan->better);
  const auto numbers = [](const std::vector<size_t>& trials) {
    Json list = Json::array();
    for (const size_t trial : trials) list.push_back(trial + 1);
    return list;
  };
  for (size_t i = halving_.rungs.size(); i < plan.rungs.size(); ++i) {
    options_.on_event({{"type", "rung"},
                       {"sweep", options_.plan->name},
                       {"epoch", plan.rungs[i].epoch},
                       {"kept", numbers(plan.rungs[i].kept)},
                       {"stopped", numbers(plan.rungs[i].stopped)}});
  }
  halving_ = std::move(plan);
}

Status SweepRun::Request(SweepTrial& trial, rpc::JobAction action) {
  auto& last = requested_[trial.job];
  if (last == std::pair(trial.state, action)) return absl::OkStatus();
  last = {trial.state, action};
  const Status acted = ActOnJob(session_.client(), {.job = trial.job, .action = action}).status();
  // The job has ended or changed its state meanwhile; the next look decides.
  if (absl::IsFailedPrecondition(acted)) return absl::OkStatus();
  // The limit of paused jobs is reached. The trial goes on, which changes no decision.
  const bool is_spare = action == rpc::JobAction::kPause && absl::IsResourceExhausted(acted);
  return is_spare ? absl::OkStatus() : acted;
}

Status SweepRun::Act() {
  if (!options_.plan->halves) return absl::OkStatus();
  for (size_t i = 0; i < trials_.size(); ++i) {
    SweepTrial& trial = trials_[i];
    if (trial.is_read) continue;
    if (halving_.stopped_at[i] > 0) {
      DL_RETURN_IF_ERROR(Request(trial, rpc::JobAction::kCancel));
      continue;
    }
    // A trial that has reached the next decision makes room for the others.
    const bool waits = halving_.open > 0 && trial.epochs > halving_.open &&
                       std::ssize(trial.history.epochs()) >= halving_.open;
    const bool is_paused = trial.state == "PAUSED";
    if (waits && !is_paused && trial.state != "PAUSING")
      DL_RETURN_IF_ERROR(Request(trial, rpc::JobAction::kPause));
    if (!waits && is_paused) DL_RETURN_IF_ERROR(Request(trial, rpc::JobAction::kResume));
  }
  return absl::OkStatus();
}

Status SweepRun::Follow() {
  Instant last_heard = Clock::Real().Now();
  for (;;) {
    DL_RETURN_IF_ERROR(session_.cluster->Health());
    Status status = Refresh();
    if (status.ok()) {
      Decide();
      status = Act();
    }
    const Instant now = Clock::Real().Now();
    if (status.ok()) last_heard = now;
    if (!status.ok() && (!MayPass(status) || now - last_heard >= kPatience)) return status;
    if (status.ok() && std::ranges::all_of(trials_, &SweepTrial::is_read)) return status;
    launch::Pause(kPollPause);
  }
}

}  // namespace dl::cli
