// The commands `cancel`, `pause`, `resume` and `delete`.
#include <ostream>

#include "absl/strings/str_cat.h"
#include "cli/clusters/cluster_flags.h"
#include "cli/clusters/mpi_join.h"
#include "cli/clusters/slurm_batch.h"
#include "cli/clusters/slurm_flags.h"
#include "cli/clusters/slurm_run.h"
#include "cli/command_session.h"
#include "cli/commands/commands.h"
#include "cli/exit_code.h"
#include "cli/jobs/follow.h"
#include "cli/jobs/job_action.h"
#include "cli/jobs/job_query.h"
#include "cli/output/json_fields.h"
#include "launch/submission.h"
#include "rpc/messages.h"

namespace dl::cli {
namespace {

constexpr Duration kActionLimit = std::chrono::seconds(60);

// Base class of the commands that act on one job and return at once.
class ActingCommand : public Command {
 public:
  std::string_view json_lines() const override { return "JobAnswer"; }
  void Declare(Flags& flags) override {
    flags.Positional("JOB", job_, "Id of the job", Flags::Need::kRequired);
    cluster_.Declare(flags);
    flags.Switch("--json", json_, "Print JSON");
  }
  std::string job() const override { return job_; }
  StatusOr<int> Run(Context& context) override {
    DL_ASSIGN_OR_RETURN(Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kSessionToAct));
    DL_RETURN_IF_ERROR(Check(session));
    DL_ASSIGN_OR_RETURN(const Json job, QueryJob(session.client(), job_));
    DL_ASSIGN_OR_RETURN(std::string said, ActOnJob(session.client(), Request()));
    DL_RETURN_IF_ERROR(WaitForEffect(session, job, said));
    context.out << (json_ ? Json{{"job", job_}, {"message", said}}.dump() : said) << std::endl;
    return kSuccess;
  }

 private:
  virtual rpc::JobAction action() const = 0;
  virtual rpc::JobActionRequest Request() const { return {.job = job_, .action = action()}; }
  // Returns an error if the action is not possible on this kind of cluster.
  virtual Status Check(const Session& /*session*/) const { return absl::OkStatus(); }
  // Waits for effects that must not be left to a master that ends with this command. `before` is
  // the job before the action. `said` is the message for the user and may be changed.
  virtual Status WaitForEffect(Session& /*session*/, const Json& /*before*/,
                               std::string& /*said*/) const {
    return absl::OkStatus();
  }

  ClusterFlags cluster_;
  std::string job_;
  bool json_ = false;
};

class CancelCommand final : public ActingCommand {
 public:
  std::string_view name() const override { return "cancel"; }
  std::string_view summary() const override {
    return "Stop a job; if it runs, it first writes a last checkpoint";
  }
  std::string_view examples() const override {
    return "  dl-submit cancel --master dl://127.0.0.1:7077 lenet5-1";
  }

 private:
  rpc::JobAction action() const override { return rpc::JobAction::kCancel; }
  // The master of a data folder ends with this command, so the job must have ended before.
  Status WaitForEffect(Session& session, const Json& before, std::string& said) const override {
    if (session.is_remote() || HasEnded(before)) return absl::OkStatus();
    DL_ASSIGN_OR_RETURN(const Json result,
                        launch::FollowJob(job(), {.timeout = kActionLimit}, session.client()));
    said = absl::StrCat(job(), " is ", TextAt(result, "state"));
    return absl::OkStatus();
  }
};

class PauseCommand final : public ActingCommand {
 public:
  std::string_view name() const override { return "pause"; }
  std::string_view summary() const override {
    return "Pause a job: write a checkpoint and release its executors";
  }
  std::string_view examples() const override {
    return "  dl-submit pause --master dl://127.0.0.1:7077 lenet5-1\n"
           "  dl-submit resume --master dl://127.0.0.1:7077 lenet5-1";
  }

 private:
  rpc::JobAction action() const override { return rpc::JobAction::kPause; }
  Status Check(const Session& session) const override {
    if (session.is_remote()) return absl::OkStatus();
    return WithExitCode(
        FailedPrecondition({.message = "a job in a local data folder cannot be paused: it stops "
                                       "when no command computes it",
                            .where = "--master",
                            .remedy = "Stop the command that computes it with Ctrl-C; dl-submit "
                                      "resume continues the job"}),
        kFailed);
  }
};

class DeleteCommand final : public ActingCommand {
 public:
  std::string_view name() const override { return "delete"; }
  std::string_view summary() const override {
    return "Delete an ended job: its records, checkpoints, and data that no other job uses";
  }
  void Declare(Flags& flags) override {
    ActingCommand::Declare(flags);
    flags.Switch("--pinned", pinned_,
                 "Also delete pinned checkpoints. Without it, a job that has some stays.");
  }
  std::string_view examples() const override {
    return "  dl-submit delete lenet5-1\n"
           "  dl-submit delete --master dl://127.0.0.1:7077 lenet5-1\n"
           "  dl-submit delete --pinned lenet5-1    # even if some of its checkpoints are pinned\n"
           "Deleted jobs cannot be restored. Use dl-submit export first to keep a model.";
  }

 private:
  rpc::JobAction action() const override { return rpc::JobAction::kDelete; }
  rpc::JobActionRequest Request() const override {
    return {.job = job(), .action = action(), .round = pinned_ ? INT64_MAX : -1};
  }

  bool pinned_ = false;
};

class ResumeCommand final : public Command {
 public:
  std::string_view name() const override { return "resume"; }
  std::string_view json_lines() const override { return "Event|Result|JobAnswer"; }
  bool Computes() const override { return true; }
  std::string_view summary() const override {
    return "Resume a paused, cancelled, failed or rejected job; the result is bit-identical";
  }
  std::string_view examples() const override {
    return "  dl-submit resume lenet5-1\n"
           "  dl-submit resume --master dl://127.0.0.1:7077 lenet5-1 -d\n"
           "  dl-submit resume lenet5-1 --rebind    # on a CPU with another kernel contract: the "
           "bits differ from here on\n"
           "  dl-submit resume --master dl://127.0.0.1:7077 lenet5-1 --rebind --isa avx512\n"
           "To continue from an older checkpoint, start a new job: dl-submit run JOB --resume-from "
           "lenet5-1@470";
  }
  void Declare(Flags& flags) override {
    flags.Positional("JOB", job_, "Id of the job", Flags::Need::kRequired);
    cluster_.Declare(flags);
    flags.Switch("--rebind", rebind_, "Continue from the last commit under a new kernel contract");
    flags.Choice("--isa", "ISA", isa_, {"avx2", "avx512", "avx512_bf16", "amx"},
                 "Instruction set of the new contract; needs --rebind. Default: the job's "
                 "instruction set, on a local cluster the best of this machine.");
    slurm_.Declare(flags);
    flags.Switch("-d,--detach", detach_, "Return without following the job");
    flags.Switch("-q,--quiet", quiet_,
                 "Print only the job's id, and on standard error warnings and failures");
    flags.Switch("--json", json_, "Print events as JSON, the result last");
  }
  std::string job() const override { return job_; }
  StatusOr<int> Run(Context& context) override {
    DL_RETURN_IF_ERROR(CheckQuietOrJson(quiet_, json_));
    DL_ASSIGN_OR_RETURN(Settings settings, cluster_.Resolve(context));
    if (detach_) DL_RETURN_IF_ERROR(CheckDetach(settings));
    if (!isa_.empty() && !rebind_) {
      return UsageError(
          {.message = "a job resumes under its kernel contract, but --isa asks for another one",
           .where = "--isa",
           .remedy = "Leave out --isa, or also give --rebind"});
    }
    DL_ASSIGN_OR_RETURN(const launch::Target target, TargetOf(settings.master));
    DL_RETURN_IF_ERROR(slurm_.Check(target));
    DL_ASSIGN_OR_RETURN(const std::optional<int> joined, JoinMpiMaster(target, settings));
    if (joined) return *joined;
    const Interrupts interrupts;
    if (target.is_batch()) return ActOnSlurm(target, settings, context, interrupts);
    return EndOfBatch(GoOn(settings, context, interrupts), target, interrupts, context);
  }

 private:
  StatusOr<int> ActOnSlurm(const launch::Target& target, const Settings& settings, Context& context,
                           const Interrupts& interrupts) {
    SlurmStart start{.request = slurm_.Request(target),
                     .target = target,
                     .command = "resume",
                     .job = job_,
                     .style = StyleFor(context, json_, quiet_)};
    if (rebind_) start.words.push_back("--rebind");
    if (!isa_.empty()) start.words.insert(start.words.end(), {"--isa", isa_});
    if (quiet_) context.out << job_ << std::endl;
    return RunOnSlurm(start, settings, context, interrupts);
  }

  StatusOr<int> GoOn(const Settings& settings, Context& context, const Interrupts& interrupts) {
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kSessionToResume));
    DL_ASSIGN_OR_RETURN(const Json job, QueryJob(session.client(), job_));
    const bool stopped = HasEnded(job) || TextAt(job, "state") == "PAUSED";
    // A requeued batch job has rebound the contract in its earlier start.
    const bool again = session.target.is_in_batch() && !stopped;
    if (rebind_ && !stopped && !again) {
      return WithExitCode(
          FailedPrecondition({.message = absl::StrCat(job_, " is ", TextAt(job, "state"),
                                                      "; only a stopped job can be rebound"),
                              .where = job_,
                              .remedy = absl::StrCat("First: dl-submit cancel",
                                                     session.next.run_flags, " ", job_)}),
          kFailed);
    }
    // For a stopped job, skips the events of the earlier attempt, including its result. For a job
    // that continues by itself, shows all events.
    int64_t after = 0;
    if (stopped) {
      DL_ASSIGN_OR_RETURN(after, LatestSequence(session.client(), job_));
    }
    // Must be known before the job changes its state, because this machine may not be able to
    // compute it.
    launch::KernelChoice kernels;
    if (!session.is_remote()) {
      DL_ASSIGN_OR_RETURN(kernels,
                          rebind_ ? StatedKernels(session, job_) : KernelsOfJob(session, job));
      if (!isa_.empty()) kernels.isa = isa_;
    }
    std::string said = absl::StrCat(job_, " is ", TextAt(job, "state"),
                                    detach_ ? "; it goes on by itself" : "; it is followed");
    if (stopped) {
      StatusOr<std::string> resumed = ActOnJob(
          session.client(),
          {.job = job_, .action = rpc::JobAction::kResume, .rebind = rebind_, .isa = isa_});
      if (ErrorWhere(resumed.status()) == "isa") return AsFlagError(resumed.status(), "--isa");
      DL_ASSIGN_OR_RETURN(said, std::move(resumed));
    }
    DL_RETURN_IF_ERROR(StartExecutors(session, kernels));
    if (json_ && detach_) {
      context.out << Json{{"job", job_}, {"message", said}}.dump() << std::endl;
    } else if (!json_ && quiet_) {
      context.out << job_ << std::endl;
    } else if (!json_) {
      context.err << said << std::endl;
    }
    if (detach_) return kSuccess;
    return FollowToEnd(
        session, context,
        {.job = job_,
         .after = after,
         .on_interrupt = session.is_remote() ? FollowRequest::OnInterrupt::kDetach
                                             : FollowRequest::OnInterrupt::kCancelJob,
         .style = StyleFor(context, json_, quiet_),
         .interrupts = &interrupts});
  }

  ClusterFlags cluster_;
  SlurmFlags slurm_;
  std::string job_, isa_;
  bool rebind_ = false, detach_ = false, quiet_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeCancel() { return std::make_unique<CancelCommand>(); }
std::unique_ptr<Command> MakePause() { return std::make_unique<PauseCommand>(); }
std::unique_ptr<Command> MakeDelete() { return std::make_unique<DeleteCommand>(); }
std::unique_ptr<Command> MakeResume() { return std::make_unique<ResumeCommand>(); }

}  // namespace dl::cli
