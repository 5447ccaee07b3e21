// The commands `run` and `submit`: start a job and follow it to its end.
#include <algorithm>
#include <iterator>
#include <optional>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "cli/clusters/mpi_join.h"
#include "cli/clusters/pages_flag.h"
#include "cli/clusters/slot_advice.h"
#include "cli/clusters/slurm_batch.h"
#include "cli/clusters/slurm_flags.h"
#include "cli/clusters/slurm_run.h"
#include "cli/command_session.h"
#include "cli/commands/commands.h"
#include "cli/data/import_memory.h"
#include "cli/exit_code.h"
#include "cli/interrupts.h"
#include "cli/jobs/follow.h"
#include "cli/jobs/job_flags.h"
#include "cli/jobs/job_query.h"
#include "cli/jobs/run_profile.h"
#include "cli/jobs/run_session.h"
#include "cli/jobs/scheduling_flags.h"
#include "cli/jobs/submission_report.h"
#include "cli/output/compiled_network_text.h"
#include "cli/output/json_fields.h"
#include "cli/output/table_report_text.h"
#include "cli/tensorboard/live_export.h"
#include "job/advice.h"
#include "job/describe.h"
#include "job/validate.h"
#include "launch/all_jobs.h"
#include "launch/clusters/slurm_run_folder.h"
#include "launch/import/checkpoint_data.h"
#include "launch/submission.h"
#include "nn/conf/layer_table.h"
#include "rpc/messages.h"

namespace dl::cli {
namespace {

enum class StartKind { kRun, kSubmit };

class Start final : public Command {
 public:
  explicit Start(StartKind kind) : kind_(kind) {}

  std::string_view name() const override { return kind_ == StartKind::kRun ? "run" : "submit"; }
  std::string_view json_lines() const override {
    return kind_ == StartKind::kRun ? "Event|Notice|TableNotice|Result|JobSpec"
                                    : "Event|Notice|TableNotice|Result|JobSpec|Submission";
  }
  bool Computes() const override { return true; }
  std::string_view summary() const override {
    return kind_ == StartKind::kRun ? "Train a job in the foreground"
                                    : "Submit a job to a cluster and follow it";
  }
  std::string_view examples() const override {
    return kind_ == StartKind::kRun
               ? "  dl-submit run --master 'local[2]' lenet_fashion_mnist\n"
                 "  dl-submit run --master 'local-cluster[3]' job.json --json\n"
                 "  dl-submit run --master 'slurm[8]' --slurm-time 4:00:00 job.json    # 8 "
                 "executors of Slurm\n"
                 "  mpirun -n 9 dl-submit run --master mpi job.json    # a master and 8 executors\n"
                 "  dl-submit run lenet_fashion_mnist --epochs 1 --set "
                 "training.checkpoint.keep_last=5\n"
                 "  dl-submit run job.json --dry-run\n"
                 "  dl-submit run ./my_job --epochs 3 -- --depth 4    # after --: arguments of "
                 "my_job\n"
                 "  dl-submit run resnet18 --train cifar10.json --test cifar10-test.json\n"
                 "Ctrl-C writes a checkpoint and stops the job; a second Ctrl-C stops at once."
               : "  dl-submit submit --master dl://127.0.0.1:7077 job.json\n"
                 "  dl-submit submit --master dl://127.0.0.1:7077 job.json -d -q\n"
                 "  dl-submit submit job.json --resume-from lenet5-1@470\n"
                 "  dl-submit submit job.json --after lenet5-1 --priority 10 --max-executors 4\n"
                 "Ctrl-C only detaches; the job continues.";
  }

  void Declare(Flags& flags) override {
    job_.Declare(flags, Flags::Need::kRequired);
    cluster_.Declare(flags);
    flags.Text("--resume-from", "JOB@ROUND", resume_from_,
               "Start from the full state of a checkpoint: JOB@ROUND, JOB@best, JOB@last, or JOB "
               "for its newest");
    flags.Text("--init-from", "JOB@ROUND", init_from_,
               "Start from the weights of a checkpoint: JOB@ROUND, JOB@best, JOB@last, or JOB for "
               "its newest");
    if (kind_ == StartKind::kSubmit) {
      flags.Switch("-d,--detach", detach_, "Return when the job is accepted");
    } else {
      flags.AddForeignFlag(
          "-d,--detach",
          "dl-submit run stays until the job ends. To detach, use a standing cluster: "
          "dl-submit submit -d --master dl://host:port JOB");
      pages_.Declare(flags);
      flags.Text("--tensorboard", "DIR", tensorboard_,
                 "Write the figures of each round for TensorBoard to DIR/JOB while the job runs");
      flags.Text("--profile", "FILE", profile_,
                 "Write the time of each layer and of all other parts of the run to FILE, as a "
                 "trace for Perfetto");
      flags.Choice("--signal-checkpoint", "SIGNAL", checkpoint_signal_, {"HUP", "USR1", "USR2"},
                   "Write a checkpoint on this signal: HUP, USR1 or USR2. Without this flag, the "
                   "signal stops the job.");
    }
    scheduling_flags_.Declare(flags);
    slurm_.Declare(flags);
    flags.Switch("--dry-run", dry_run_, "Check the job and print its spec; change nothing");
    flags.Switch("-q,--quiet", quiet_,
                 "Print only the job's id, and on standard error warnings and failures");
    flags.Switch("--json", json_, "Print events as JSON, the result last");
  }

  std::string job() const override { return id_; }

  StatusOr<int> Run(Context& context) override {
    DL_RETURN_IF_ERROR(CheckQuietOrJson(quiet_, json_));
    if (!resume_from_.empty() && !init_from_.empty()) {
      return UsageError({.message = "--resume-from and --init-from exclude each other",
                         .remedy = "Give one of them"});
    }
    DL_ASSIGN_OR_RETURN(Settings settings, job_.Resolve(context, cluster_));
    DL_ASSIGN_OR_RETURN(const launch::Target target, TargetOf(settings.master));
    DL_ASSIGN_OR_RETURN(scheduling_, scheduling_flags_.Read(target));
    DL_RETURN_IF_ERROR(slurm_.Check(target));
    if (!dry_run_) {
      DL_ASSIGN_OR_RETURN(const std::optional<int> joined, JoinMpiMaster(target, settings));
      if (joined) return *joined;
    }
    // In a batch job, the command that submitted it has resolved all settings.
    if (target.is_in_batch()) settings.job.clear();
    DL_ASSIGN_OR_RETURN(PreparedJob prepared, PrepareJob(context, job_, settings));
    if (dry_run_) return ShowOnly(prepared, context);
    if (!prepared.has_data) {
      return UsageError({.message = absl::StrCat(prepared.spec.name, " has no data to train on"),
                         .remedy = "Add --train DATA and --test DATA; --dry-run shows its spec"});
    }
    if (detach_) DL_RETURN_IF_ERROR(CheckDetach(settings));
    DL_RETURN_IF_ERROR(CheckCheckpointSignal(target));
    DL_RETURN_IF_ERROR(pages_.Check(target));
    if (!tensorboard_.empty() && target.is_batch()) {
      return UsageError({.message = "a batch job of slurm[N] runs on other machines",
                         .where = "--tensorboard",
                         .remedy = "Leave it out, and use dl-submit tensorboard JOB"});
    }
    std::unique_ptr<RunProfile> profile;
    if (!profile_.empty()) {
      DL_ASSIGN_OR_RETURN(profile, RunProfile::Start(profile_, target, context));
    }
    const Interrupts interrupts(checkpoint_signal_);
    if (target.is_batch()) return SubmitToSlurm(target, prepared, settings, context, interrupts);
    StatusOr<int> code = Train(prepared, settings, context, interrupts);
    if (profile != nullptr) code = WithProfile(std::move(code), *profile, context);
    return EndOfBatch(std::move(code), target, interrupts, context);
  }

 private:
  // Writes the profile of a run that has ended, and returns how it ended.
  StatusOr<int> WithProfile(StatusOr<int> ended, RunProfile& profile, Context& context) const {
    const Status written = profile.Write(context);
    if (!ended.ok()) return ended;
    DL_RETURN_IF_ERROR(written);
    if (json_ || quiet_) return ended;
    context.err << "wrote " << profile_
                << "; open it in https://ui.perfetto.dev or chrome://tracing" << std::endl;
    return ended;
  }

  Status CheckCheckpointSignal(const launch::Target& target) const {
    if (checkpoint_signal_.empty() || !target.is_batch()) return absl::OkStatus();
    return UsageError({.message = "a batch job of slurm[N] writes a checkpoint without this flag "
                                  "when Slurm takes its nodes",
                       .where = "--signal-checkpoint",
                       .remedy = "Leave it out, or use dl-submit checkpoints --now JOB"});
  }

  StatusOr<int> SubmitToSlurm(const launch::Target& target, const PreparedJob& prepared,
                              const Settings& settings, Context& context,
                              const Interrupts& interrupts) {
    const launch::BatchRequest request = slurm_.Request(target);
    AdviseOnSlots({.workers = prepared.spec.training.workers,
                   .slots = request.executors * request.cpus,
                   .more_slots = SlotUse::MoreSlots::kWouldNot},  // the user asked for this number
                  context);
    SlurmStart start{.request = request,
                     .target = target,
                     .command = "run",
                     .spec = prepared.spec,
                     .style = StyleFor(context, json_, quiet_),
                     .prints_id = quiet_};
    if (!resume_from_.empty())
      start.words.insert(start.words.end(), {"--resume-from", resume_from_});
    if (!init_from_.empty()) start.words.insert(start.words.end(), {"--init-from", init_from_});
    return RunOnSlurm(start, settings, context, interrupts);
  }

  StatusOr<int> Train(const PreparedJob& prepared, const Settings& settings, Context& context,
                      const Interrupts& interrupts) {
    const bool speaks = !json_ && !quiet_;
    SessionOptions opening = kSessionToRun;
    opening.http_port = pages_.Port(speaks && context.progress_on_terminal);
    DL_ASSIGN_OR_RETURN(Session session, OpenToRun(settings, opening, context, interrupts));
    DL_RETURN_IF_ERROR(
        StartExecutors(session, {prepared.spec.training.isa, prepared.spec.training.precision}));
    if (speaks || pages_.is_given()) pages_.Report(*session.cluster, context);
    if (!session.is_remote() && speaks) DL_RETURN_IF_ERROR(ReportOtherJobs(session, context));
    if (Status submitted = Submit(prepared, session, context, interrupts); !submitted.ok())
      return ReasonOf(session, submitted);
    if (json_) PrintNotices(prepared, advice_, id_, context);
    if (!json_ && (quiet_ || detach_)) context.out << id_ << std::endl;
    if (detach_) {
      if (json_) {
        PrintSubmission(submitted_, context.out);
      } else {
        WarnAboutExecutors(submitted_, prepared.spec.training, context.err);
      }
      return kSuccess;
    }
    // A local cluster ends with this command, so detaching would stop the job without a checkpoint.
    const bool cancels = kind_ == StartKind::kRun || !session.is_remote();
    FollowRequest request{.job = id_,
                          .on_interrupt = cancels ? FollowRequest::OnInterrupt::kCancelJob
                                                  : FollowRequest::OnInterrupt::kDetach,
                          .style = StyleFor(context, json_, quiet_),
                          .interrupts = &interrupts};
    if (tensorboard_.empty()) return FollowToEnd(session, context, request);
    LiveExport events(session.client(), id_, tensorboard_);
    request.on_wait = [&events] { return events.Update(); };
    DL_ASSIGN_OR_RETURN(const int code, FollowToEnd(session, context, request));
    if (const Status written = events.Finish(); !written.ok())
      context.err << "warning: " << std::string(written.message()) << std::endl;
    return code;
  }

  StatusOr<int> ShowOnly(const PreparedJob& prepared, Context& context) {
    const std::string& source = resume_from_.empty() ? init_from_ : resume_from_;
    if (!source.empty()) DL_RETURN_IF_ERROR(ParseCheckpointName(source).status());
    if (prepared.has_data) DL_RETURN_IF_ERROR(AsDataError(launch::CheckFiles(prepared.spec)));
    if (json_) return ShowOnlyJson(prepared, source, context);
    if (!prepared.has_data) return ShowNetwork(prepared.spec, context);
    context.out << job::FormatJob(prepared.spec) << std::flush;
    context.err << job::Describe(prepared.spec) << ReportCompiledNetwork(prepared.spec).memory;
    if (!source.empty()) {
      context.err << SourceText(source) << "\n";
    }
    Warn(job::Advice(prepared.spec), context);
    context.err << std::flush;
    return kSuccess;
  }

  std::string SourceText(const std::string& source) const {
    return absl::StrCat("begins from the ", resume_from_.empty() ? "weights" : "full state", " of ",
                        source, ": a dry run does not look whether it is there");
  }

  int ShowOnlyJson(const PreparedJob& prepared, const std::string& source, Context& context) const {
    std::vector<std::string> messages = job::Advice(prepared.spec);
    if (!source.empty()) messages.push_back(SourceText(source));
    PrintNotices(prepared, messages, "", context);
    Json json = job::ToJson(prepared.spec);
    if (!prepared.has_data) json.erase("data");
    context.out << JsonText(json) << std::endl;
    return kSuccess;
  }

  // Prints what a user should know about a job. `id` is empty before it is submitted.
  static void PrintNotices(const PreparedJob& prepared, const std::vector<std::string>& messages,
                           const std::string& id, Context& context) {
    const Json job = id.empty() ? Json() : Json(id);
    for (const Json& table : prepared.tables)
      context.out << JsonText({{"type", "table"}, {"job", job}, {"table", table}}) << std::endl;
    for (const std::string& message : messages)
      context.out << JsonText({{"type", "warning"}, {"job", job}, {"message", message}})
                  << std::endl;
  }

  // Shows a network given by name alone: its job without the data.
  static StatusOr<int> ShowNetwork(const job::JobSpec& spec, Context& context) {
    Json json = job::ToJson(spec);
    json.erase("data");
    context.out << json.dump(2) << std::endl;
    context.err << nn::Summary(spec.model)
                << "as it was published; --train DATA makes it one for that data" << std::endl;
    return kSuccess;
  }

  static void Warn(const std::vector<std::string>& messages, Context& context) {
    for (const std::string& message : messages) context.err << "warning: " << message << std::endl;
  }

  // Reports the unfinished jobs in the folder, because a local cluster computes them too.
  static Status ReportOtherJobs(Session& session, Context& context) {
    DL_ASSIGN_OR_RETURN(const Json jobs, launch::AllJobs(session.client()));
    for (const Json& job : jobs) {
      if (HasEnded(job)) continue;
      const std::string id = TextAt(job, "job");
      context.err << id << " is unfinished and goes on here too; to stop it: dl-submit cancel"
                  << session.next.run_flags << " " << id << std::endl;
    }
    return absl::OkStatus();
  }

  Status Submit(const PreparedJob& prepared, Session& session, Context& context,
                const Interrupts& interrupts) {
    const launch::SlurmRun run(session.target.folder());
    const bool in_batch = session.target.is_in_batch();
    if (auto job = in_batch ? run.Job() : std::nullopt) {
      id_ = *std::move(job);  // submitted by an earlier start
      return absl::OkStatus();
    }
    // Find out whether the master answers before the data is read.
    DL_RETURN_IF_ERROR(session.client().MissingBlocks({}, limits::kControlDeadline).status());
    launch::SubmitOptions options{.health = [&] { return session.cluster->Health(); }};
    // An earlier start may have ended after it submitted the job but before it recorded the id.
    if (in_batch) options.request_id = "slurm-" + run.name();
    if (!resume_from_.empty()) {
      DL_ASSIGN_OR_RETURN(options.resume_from, FindCheckpoint(resume_from_, session.client()));
    }
    if (!init_from_.empty()) {
      DL_ASSIGN_OR_RETURN(options.init_from, FindCheckpoint(init_from_, session.client()));
    }
    options.scheduling = scheduling_;
    launch::ImportOptions importing{.stop = &interrupts.stop()};
    DL_ASSIGN_OR_RETURN(importing.memory_bytes, ImportMemory(0, context.environment));
    if (!session.data_dir.empty()) importing.cache_dir = session.data_dir + "/imports";
    if (!json_ && !quiet_) {
      importing.progress = [&](const std::string& line) { context.err << line << std::endl; };
    }
    std::vector<std::string> doubts;  // about the data; without --json they are printed at once
    if (json_) importing.on_warning = [&](const std::string& text) { doubts.push_back(text); };
    if (quiet_) importing.on_warning = [&](const std::string& text) { Warn({text}, context); };
    importing.on_unknown = [&](const std::vector<dataset::UnknownCategories>& unknown) {
      if (!json_) return ReportUnknown(unknown, context.err);
      for (const dataset::UnknownCategories& column : unknown)
        if (IsManyUnknown(column)) doubts.push_back(UnknownText(column));
    };
    auto imported = launch::ImportJob(prepared.spec, importing, session.client());
    if (!imported.ok()) return AsDataError(interrupts.WithSignal(imported.status()));
    // The spec was valid by itself, so the mistake is in the content of the files.
    if (Status status = job::ValidateJob(imported->spec); !status.ok()) {
      return AsDataError(InvalidArgument({.message = std::string(status.message()),
                                          .where = absl::StrCat(prepared.author, " and its data"),
                                          .remedy = "Change the model or the data; dl-submit "
                                                    "import JOB shows the content of the data"}));
    }
    advice_ = job::Advice(imported->spec);
    std::ranges::move(
        launch::DifferencesFromCheckpoint(options, imported->train_manifest, session.client()),
        std::back_inserter(advice_));
    if (!json_) Warn(advice_, context);
    advice_.insert(advice_.end(), doubts.begin(), doubts.end());
    if (interrupts.stop()) {
      return interrupts.WithSignal(Cancelled({.message = "interrupted before the job was submitted",
                                              .remedy = "Start the same command again"}));
    }
    DL_ASSIGN_OR_RETURN(submitted_, launch::SubmitJob(*imported, options, session.client(),
                                                      limits::kSubmitTimeout));
    id_ = submitted_.job;
    // The slots of a local cluster are those of the command line or this machine. It may still be
    // starting.
    if (session.is_remote()) {
      AdviseOnSlots({.workers = prepared.spec.training.workers,
                     .slots = submitted_.slots,
                     .more_slots = scheduling_.max_executors == 0 ? SlotUse::MoreSlots::kWouldHelp
                                                                  : SlotUse::MoreSlots::kWouldNot},
                    context);
    }
    return in_batch ? run.RecordJob(id_) : absl::OkStatus();
  }

  void AdviseOnSlots(const SlotUse& use, Context& context) {
    std::optional<std::string> advice = SlotAdvice(use);
    if (!advice) return;
    if (!json_) Warn({*advice}, context);
    advice_.push_back(*std::move(advice));
  }

  const StartKind kind_;
  ClusterFlags cluster_;
  JobFlags job_;
  SchedulingFlags scheduling_flags_;
  rpc::Scheduling scheduling_;
  SlurmFlags slurm_;
  PagesFlag pages_;
  std::string resume_from_, init_from_, id_, checkpoint_signal_, tensorboard_, profile_;
  rpc::SubmitReply submitted_;
  std::vector<std::string> advice_;
  bool detach_ = false, dry_run_ = false, quiet_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeRun() { return std::make_unique<Start>(StartKind::kRun); }
std::unique_ptr<Command> MakeSubmit() { return std::make_unique<Start>(StartKind::kSubmit); }

}  // namespace dl::cli
