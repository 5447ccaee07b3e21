#include "cli/sweep/sweep_run.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/limits.h"
#include "cli/exit_code.h"
#include "cli/jobs/job_action.h"
#include "cli/jobs/job_events.h"
#include "cli/jobs/job_query.h"
#include "cli/jobs/submission_report.h"
#include "cli/output/json_fields.h"
#include "cli/output/table_report_text.h"
#include "job/advice.h"
#include "job/validate.h"
#include "launch/all_jobs.h"
#include "launch/pause.h"

namespace dl::cli {
namespace {

constexpr Duration kPollPause = std::chrono::milliseconds(200);
constexpr int64_t kAcceptedAgeMs = 200;                             // of the state of a trial
constexpr Duration kUnreachableTimeout = std::chrono::seconds(60);  // with an unreachable master

bool MayPass(const Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
}

// Returns the labels of a job as the master lists it, by their keys.
std::map<std::string, std::string> LabelsIn(const Json& job) {
  std::map<std::string, std::string> labels;
  const Json* scheduling = Member(job, "scheduling");
  const Json* list = scheduling == nullptr ? nullptr : Member(*scheduling, "labels");
  if (list == nullptr) return labels;
  for (const Json& label : *list) {
    if (!label.is_string()) continue;
    const auto& text = label.get_ref<const std::string&>();
    const size_t equals = text.find('=');
    if (equals != std::string::npos)
      labels.emplace(text.substr(0, equals), text.substr(equals + 1));
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
  return {absl::StrCat("sweep=", options_.plan->name), absl::StrCat("trial=", trial + 1),
          absl::StrCat("sweep-definition=", definition_)};
}

Status SweepRun::OtherSettings(const std::string& job) const {
  return WithExitCode(
      FailedPrecondition(
          {.message =
               absl::StrCat("the sweep ", options_.plan->name, " has jobs with other settings"),
           .where = job,
           .remedy = "Give all flags of the first command to continue it, or another --name"}),
      kFailed);
}

Status SweepRun::FindEarlierJobs() {
  DL_ASSIGN_OR_RETURN(const Json jobs, launch::AllJobs(session_.client()));
  const std::string owner = session_.cluster->owner();
  for (const Json& job : jobs) {
    const bool is_own = owner.empty() || TextAt(job, "owner") == owner;
    const std::map<std::string, std::string> labels = LabelsIn(job);
    // A user may give one of the labels to other jobs.
    const bool is_of_sweep = std::ranges::all_of(
        kSweepLabelKeys, [&](std::string_view key) { return labels.contains(std::string(key)); });
    if (!is_own || !is_of_sweep || labels.at("sweep") != options_.plan->name) continue;
    if (labels.at("sweep-definition") != definition_) return OtherSettings(TextAt(job, "job"));
    size_t trial = 0;
    if (absl::SimpleAtoi(labels.at("trial"), &trial) && trial >= 1 && trial <= trials_.size())
      trials_[trial - 1].job = TextAt(job, "job");
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

void SweepRun::Warn(size_t trial, const std::string& message) {
  if (!warnings_.insert(message).second) return;
  options_.on_event({{"type", "warning"},
                     {"sweep", options_.plan->name},
                     {"trial", trial + 1},
                     {"message", message}});
}

StatusOr<launch::ImportedJob> SweepRun::ImportTrial(size_t trial) {
  launch::ImportOptions importing = options_.importing;
  importing.on_warning = [&](const std::string& text) { Warn(trial, text); };
  importing.on_unknown = [&](const std::vector<dataset::UnknownCategories>& unknown) {
    for (const dataset::UnknownCategories& column : unknown)
      if (IsManyUnknown(column)) Warn(trial, UnknownText(column));
  };
  auto imported =
      launch::ImportJob(options_.plan->trials[trial].spec, importing, session_.client());
  if (!imported.ok()) return AsDataError(imported.status());
  // The spec was valid by itself, so the mistake is in the content of the files.
  DL_RETURN_IF_ERROR(AsDataError(job::ValidateJob(imported->spec)));
  for (const std::string& advice : job::Advice(imported->spec)) Warn(trial, advice);
  return imported;
}

// The master accepts a request id once. So a job whose answer was lost is not submitted twice, and
// two commands cannot submit the same trial of a sweep. The id has no definition, so that the
// second one of two commands with other settings gets the job of the first one.
StatusOr<std::string> SweepRun::SubmitTrial(size_t trial) {
  constexpr int kMaxDeleted = 100;
  DL_ASSIGN_OR_RETURN(const launch::ImportedJob imported, ImportTrial(trial));
  launch::SubmitOptions submitting{.scheduling = options_.scheduling,
                                   .health = [&] { return session_.cluster->Health(); }};
  for (const std::string& label : LabelsOf(trial)) submitting.scheduling.labels.push_back(label);
  for (int deleted = 0; deleted <= kMaxDeleted; ++deleted) {
    submitting.request_id =
        absl::StrCat("sweep-", options_.plan->name, "-", trial + 1, "-", deleted);
    DL_ASSIGN_OR_RETURN(
        const rpc::SubmitReply reply,
        launch::SubmitJob(imported, submitting, session_.client(), limits::kSubmitTimeout));
    const auto job = QueryJob(session_.client(), reply.job);
    // A job of this request was deleted since, and the master remembers the request.
    if (absl::IsNotFound(job.status())) continue;
    DL_RETURN_IF_ERROR(job.status());
    const auto labels = LabelsIn(*job);
    const auto definition = labels.find("sweep-definition");
    if (definition == labels.end() || definition->second != definition_)
      return OtherSettings(reply.job);
    for (const std::string& warning : ExecutorWarnings(reply, imported.spec.training))
      Warn(trial, warning);
    return reply.job;
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

TrialProgress SweepRun::ProgressOf(const SweepTrial& trial) const {
  TrialProgress course{.epochs = std::max<int64_t>(1, trial.epochs),
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
  const std::vector<std::optional<double>> figures = ProgressOf(trials_[trial]).figures;
  const int64_t stopped = halving_.stopped_at.empty() ? 0 : halving_.stopped_at[trial];
  const int64_t count = stopped == 0 ? std::ssize(figures) : std::min(stopped, std::ssize(figures));
  return count == 0 ? std::nullopt : figures[static_cast<size_t>(count - 1)];
}

void SweepRun::Decide() {
  if (!options_.plan->halves) return;
  std::vector<TrialProgress> courses;
  for (const SweepTrial& trial : trials_) courses.push_back(ProgressOf(trial));
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
  Instant last_answer = Clock::Real().Now();
  for (;;) {
    DL_RETURN_IF_ERROR(session_.cluster->Health());
    Status status = Refresh();
    if (status.ok()) {
      Decide();
      status = Act();
    }
    const Instant now = Clock::Real().Now();
    if (status.ok()) last_answer = now;
    if (!status.ok() && (!MayPass(status) || now - last_answer >= kUnreachableTimeout))
      return status;
    if (status.ok() && std::ranges::all_of(trials_, &SweepTrial::is_read)) return status;
    launch::Pause(kPollPause);
  }
}

}  // namespace dl::cli
