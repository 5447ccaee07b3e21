#include "cli/clusters/slurm_run.h"

#include <filesystem>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/own_program.h"
#include "base/shell_word.h"
#include "cli/clusters/batch_watch.h"
#include "cli/data/data_output.h"
#include "cli/exit_code.h"
#include "cli/jobs/follow.h"
#include "cli/jobs/followed_file.h"
#include "cli/jobs/job_action.h"
#include "cli/jobs/job_query.h"
#include "cli/jobs/job_source.h"
#include "cli/output/json_fields.h"
#include "launch/clusters/batch_system.h"
#include "launch/clusters/slurm_run_folder.h"
#include "launch/clusters/started_processes.h"
#include "launch/daemons/data_folder.h"
#include "launch/daemons/state_dir.h"
#include "launch/pause.h"
#include "launch/submission.h"
#include "rpc/messages.h"

namespace dl::cli {
namespace {

namespace fs = std::filesystem;

constexpr Duration kCheckInterval = std::chrono::milliseconds(300);
constexpr Duration kCancelLimit = std::chrono::seconds(60);

// Gives exit code 1 to a request that Slurm refuses.
Status AsRefused(const Status& status) {
  const bool impossible = absl::IsFailedPrecondition(status) || absl::IsNotFound(status);
  return impossible ? WithExitCode(status, kFailed) : status;
}

class Follower {
 public:
  Follower(const SlurmStart& start, Context& context, const Interrupts& interrupts,
           std::string data_dir, launch::SlurmRun run, NextSteps next)
      : start_(start),
        context_(context),
        interrupts_(interrupts),
        data_dir_(std::move(data_dir)),
        run_(std::move(run)),
        system_(launch::BatchSystemOf(start.target)),
        next_(std::move(next)),
        events_(run_.output()),
        log_(run_.log()),
        output_({.style = start.style,
                 .columns = context.columns,
                 .data = &context.out,
                 .progress = context.bar == nullptr ? &context.err : context.bar}),
        job_(start.job) {}

  StatusOr<int> ToEnd(const std::string& slurm_id) {
    id_ = slurm_id;
    PrintLine(absl::StrCat(system_.name(), " job ", id_, " is submitted; what it says is in ",
                           run_.folder()));
    Instant next_look = Clock::Real().Now();
    for (;;) {
      const bool came = Relay();
      if (came) watch_.RecordMessage(Clock::Real().Now());
      if (!asked_ && (interrupts_.stop() || !CheckOutput(context_.out).ok()))
        DL_RETURN_IF_ERROR(RequestStop());
      if (Clock::Real().Now() >= next_look || (came && now_.phase == Phase::kWaiting)) {
        CheckBatch();
        // The batch job gives its nodes back soon after it has a result.
        const bool soon = result_.is_object() || now_.has_ended();
        next_look = Clock::Real().Now() + (soon ? kCheckInterval : limits::kSlurmPoll);
        WatchOverBatch();
      }
      if (HasSettled() && !RestartsAfterRequeue()) return End();
      launch::Pause(kCheckInterval);
    }
  }

 private:
  using Phase = launch::BatchJob::Phase;

  // Prints a line of text above the bar.
  void PrintLine(const std::string& line) {
    if (start_.style == EventStyle::kQuiet || start_.style == EventStyle::kJson) return;
    output_.ClearBar();
    context_.err << line << std::endl;
  }

  // Returns whether the end of the batch job is certain. A job that is being requeued passes
  // through states of an ended job. The last output of an ended job may also take a moment to
  // become visible.
  bool HasSettled() {
    if (!now_.has_ended()) {
      ended_at_.reset();
      return false;
    }
    const Instant now = Clock::Real().Now();
    if (!ended_at_) ended_at_ = now;
    return !TextAt(result_, "state").empty() || now - *ended_at_ >= limits::kSharedFileLag;
  }

  // Shows new output of the batch job. Returns whether there was any.
  bool Relay() {
    const std::vector<std::string> said = log_.ReadNewLines(), events = events_.ReadNewLines();
    for (const std::string& line : said) {
      output_.ClearBar();
      context_.err << line << std::endl;
    }
    for (const std::string& line : events) {
      const auto event = ParseJson(line, "what the batch job prints");
      if (event.ok() && event->is_object()) Take(*event);
    }
    return !said.empty() || !events.empty();
  }

  void Take(const Json& event) {
    const std::string job = TextAt(event, "job");
    if (!job.empty() && start_.prints_id && job_ != job) context_.out << job << std::endl;
    if (!job.empty()) job_ = job;
    if (TextAt(event, "type") == "result") {
      result_ = event;
      return;
    }
    // A restarted batch job repeats events from the beginning.
    const int64_t sequence = IntegerAt(event, "seq");
    if (sequence > 0 && watch_.RecordMasterReport(Clock::Real().Now())) WarnAboutLock();
    if (sequence > 0 && sequence <= output_.last_sequence()) return;
    output_.Show(event);
  }

  void WarnAboutLock() {
    PrintLine(
        absl::StrCat("the lock of ", data_dir_,
                     " shows no holder, and its master works: locks are not visible "
                     "between the nodes there. A lost first node is not noticed any more; if the "
                     "job falls silent "
                     "for good: ",
                     system_.RequeueCommand(id_),
                     ". Use a --data-dir on a file system whose locks hold "
                     "between nodes (dl-submit doctor)"));
  }

  // If the controller does not answer, it is asked again later. The batch job is not affected.
  void CheckBatch() {
    const auto now = system_.Find(id_);
    if (absl::IsNotFound(now.status())) {
      // Slurm has forgotten the job.
      now_ = {.phase = Phase::kEnded, .state = "UNKNOWN", .restarts = now_.restarts};
      return;
    }
    if (!now.ok()) {
      if (contact_)
        PrintLine(
            absl::StrCat(system_.name(), " does not answer, trying on: ", now.status().message()));
      contact_ = false;
      return;
    }
    contact_ = true;
    // The job may have waited for nodes between two looks.
    const bool anew = now->restarts != now_.restarts;
    const bool waits = now->phase == Phase::kWaiting;
    if (anew || waits) watch_.Restart();
    const bool is_news = anew || now->phase != now_.phase || now->reason != now_.reason;
    // The end is shown together with the result.
    if ((waits && is_news) ||
        (now->phase == Phase::kRunning && (anew || now_.phase != Phase::kRunning))) {
      PrintLine(absl::StrCat(system_.name(), " job ", id_, waits ? " waits for nodes" : " runs on ",
                             waits ? "" : now->nodes,
                             waits && !now->reason.empty() ? absl::StrCat(": ", now->reason) : "",
                             now->restarts > 0 ? absl::StrCat("; restarts: ", now->restarts) : ""));
    }
    now_ = *now;
  }

  // Requeues the batch job if it is lost. The master held the data folder, and the lock of a lost
  // machine ends. A machine that only Slurm cannot reach keeps the lock, and its job is left alone.
  void WatchOverBatch() {
    const Instant now = Clock::Real().Now();
    watch_.RecordLockCheck(launch::DataFolder::Holder(data_dir_).has_value(), now);
    if (!watch_.IsLost(now_.phase == Phase::kRunning && !result_.is_object(), now)) return;
    watch_.Restart();
    const Status asked = system_.Requeue(id_);
    PrintLine(absl::StrCat("the first node of ", system_.name(), " job ", id_, " is lost",
                           asked.ok() ? ": it is requeued, and goes on from the last checkpoint"
                                      : absl::StrCat("; ", asked.message())));
  }

  // Requeues a batch job whose process ended in order to be requeued (EndOfBatch), but that was not
  // requeued. Either its request failed, or Slurm took this end for the end of the requeued job.
  bool RestartsAfterRequeue() {
    if (asked_ || result_.is_object() || now_.phase != Phase::kFailed ||
        now_.exit_code != kTerminated)
      return false;
    const Status asked = system_.Requeue(id_);
    PrintLine(absl::StrCat(system_.name(), " job ", id_, " was to be requeued and has failed",
                           asked.ok() ? ": it is requeued now, and goes on from the last checkpoint"
                                      : absl::StrCat("; ", asked.message())));
    if (!asked.ok()) return false;
    now_ = {.restarts = now_.restarts};
    ended_at_.reset();
    watch_.Restart();
    return true;
  }

  // Interrupts the batch process, which then cancels the job after a last checkpoint. A batch job
  // that is still pending has no process and is removed from the queue.
  Status RequestStop() {
    asked_ = true;
    const auto now = system_.Find(id_);
    const bool runs = now.ok() && now->phase == Phase::kRunning;
    PrintLine(absl::StrCat(interrupts_.stop() ? "interrupted" : "stdout has no reader", ": ",
                           job_.empty() ? "the job" : job_,
                           runs ? " writes a checkpoint and stops; once more to leave it to that"
                                : " is taken from the queue"));
    const Status sent = runs ? system_.Interrupt(id_) : system_.Cancel(id_);
    // The job may have ended just then.
    return absl::IsUnavailable(sent) ? sent : absl::OkStatus();
  }

  StatusOr<int> End() {
    Relay();
    if (job_.empty()) job_ = run_.Job().value_or("");
    const bool finished = !TextAt(result_, "state").empty();
    if (!finished && !job_.empty() && (asked_ || now_.phase == Phase::kCancelled)) {
      DL_ASSIGN_OR_RETURN(result_, CancelHere());
    }
    output_.ClearBar();
    if (const Status lost = CheckOutput(context_.out); !lost.ok()) return lost;
    if (!result_.is_object()) return MissingResultError();
    int code = static_cast<int>(IntegerAt(result_, "exit_code"));
    if (interrupts_.exit_code() != 0 && code != kSuccess) code = interrupts_.exit_code();
    result_["exit_code"] = code;
    // An error was already shown with the output of the batch job.
    const bool is_error = TextAt(result_, "state").empty();
    if (!is_error || start_.style == EventStyle::kJson)
      ShowResult(result_, start_.style, next_, context_.out);
    return code;
  }

  Status MissingResultError() const {
    if (interrupts_.exit_code() != 0) {
      return WithExitCode(Cancelled({.message = "interrupted before the job was submitted",
                                     .where = absl::StrCat(system_.name(), " job ", id_),
                                     .remedy = "Start the same command again"}),
                          interrupts_.exit_code());
    }
    const std::string ended = absl::StrCat(system_.name(), " job ", id_, " ended as ", now_.state,
                                           now_.reason.empty() ? "" : ": " + now_.reason);
    if (now_.phase == Phase::kCancelled) {
      return Cancelled({.message = ended + ", before the job was submitted",
                        .where = run_.folder(),
                        .remedy = "Start the same command again"});
    }
    return Unavailable(
        {.message = ended + ", without a result",
         .where = run_.log(),
         .remedy = job_.empty() ? "Read its log, then start the same command again"
                                : absl::StrCat("Read its log, then continue: dl-submit resume",
                                               next_.run_flags, " ", job_)});
  }

  // Records here that the job was cancelled, because Slurm has ended the processes that computed
  // it.
  StatusOr<Json> CancelHere() {
    const Instant deadline = Clock::Real().Now() + kCancelLimit;
    StatusOr<std::unique_ptr<launch::Cluster>> cluster = OpenHere();
    while (absl::IsFailedPrecondition(cluster.status()) && Clock::Real().Now() < deadline) {
      launch::Pause(kCheckInterval);
      cluster = OpenHere();
    }
    DL_RETURN_IF_ERROR(cluster.status());
    rpc::ClientService& client = (*cluster)->client();
    DL_ASSIGN_OR_RETURN(const Json job, QueryJob(client, job_));
    if (!HasEnded(job)) {
      DL_RETURN_IF_ERROR(
          ActOnJob(client, {.job = job_, .action = rpc::JobAction::kCancel}).status());
    }
    DL_ASSIGN_OR_RETURN(Json result, launch::FollowJob(job_, {.timeout = kCancelLimit}, client));
    result["exit_code"] = ExitCodeForState(TextAt(result, "state"));
    return result;
  }

  StatusOr<std::unique_ptr<launch::Cluster>> OpenHere() const {
    return launch::Cluster::Open({.target = launch::Target::Local(1), .data_dir = data_dir_});
  }

  const SlurmStart& start_;
  Context& context_;
  const Interrupts& interrupts_;
  const std::string data_dir_;
  const launch::SlurmRun run_;
  const launch::BatchSystem& system_;
  const NextSteps next_;
  FollowedFile events_, log_;
  EventOutput output_;
  std::string id_, job_;  // ids of Slurm and of Paravane
  launch::BatchJob now_;
  Json result_;                      // null: none yet
  std::optional<Instant> ended_at_;  // when Slurm first reported the end
  BatchWatch watch_;
  bool contact_ = true, asked_ = false;
};

// Writes the job spec. Relative paths of its data begin at the working folder of this command.
Status WriteJobFile(const job::JobSpec& spec, const launch::SlurmRun& run) {
  Json document = job::ToJson(spec);
  DL_ASSIGN_OR_RETURN(const std::string folder, WorkingFolder());
  AnchorDataPaths(document, folder);
  return AtomicWriteFile(run.job_file(), JsonText(document) + "\n");
}

}  // namespace

StatusOr<int> RunOnSlurm(const SlurmStart& start, const Settings& settings, Context& context,
                         const Interrupts& interrupts) {
  DL_ASSIGN_OR_RETURN(std::string data_dir, launch::StateDir(settings.data_dir.value));
  if (!data_dir.starts_with('/')) {
    DL_ASSIGN_OR_RETURN(const std::string folder, WorkingFolder());
    data_dir = folder + "/" + data_dir;
  }
  data_dir = fs::path(data_dir).lexically_normal().string();
  // Refuse a folder in use at once, because the nodes would wait for it.
  if (auto holder = launch::DataFolder::Holder(data_dir))
    return launch::FolderInUse(data_dir, *holder);
  DL_ASSIGN_OR_RETURN(const launch::SlurmRun run, launch::SlurmRun::Create(data_dir));
  std::vector<std::string> words = {start.command, "--master", run.BatchMaster(start.target),
                                    "--data-dir",  data_dir,   "--json"};
  words.insert(words.end(), start.words.begin(), start.words.end());
  if (start.spec) DL_RETURN_IF_ERROR(WriteJobFile(*start.spec, run));
  words.push_back(start.spec ? run.job_file() : start.job);
  DL_RETURN_IF_ERROR(run.WriteScript(context.program_folder + "/dl-submit", words));
  const auto id =
      launch::BatchSystemOf(start.target)
          .Submit(start.request, {.name = "paravane-" + (start.spec ? start.spec->name : start.job),
                                  .script = run.script(),
                                  .folder = run.folder(),
                                  .output = run.output(),
                                  .errors = run.log()});
  if (!id.ok()) {
    std::error_code error;
    fs::remove_all(run.folder(), error);
    return AsRefused(id.status());
  }
  NextSteps next{.data_dir = data_dir,
                 .run_flags = absl::StrCat(" --master ", ShellWord(start.target.ToString()))};
  if (settings.data_dir.origin.starts_with("flag")) {
    const std::string flag = absl::StrCat(" --data-dir ", ShellWord(settings.data_dir.value));
    next.run_flags += flag;
    next.store_flags += flag;
  }
  Follower follower(start, context, interrupts, data_dir, run, next);
  return follower.ToEnd(*id);
}

}  // namespace dl::cli
