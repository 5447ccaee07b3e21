// cancel and resume.
#include <ostream>

#include "absl/strings/str_cat.h"
#include "cli/cluster_flags.h"
#include "cli/commands/commands.h"
#include "cli/exit_code.h"
#include "cli/follow.h"
#include "cli/job_action.h"
#include "cli/job_query.h"
#include "cli/json_fields.h"
#include "cli/session.h"
#include "launch/submission.h"

namespace dl::cli {
namespace {

constexpr Duration kCancelLimit = std::chrono::seconds(60);

class CancelCommand final : public Command {
 public:
  std::string_view name() const override { return "cancel"; }
  std::string_view summary() const override {
    return "Stop a job; one that is being computed writes a last checkpoint first";
  }
  std::string_view examples() const override {
    return "  dl-submit cancel --master dl://127.0.0.1:7077 lenet5-1";
  }
  void Declare(Flags& flags) override {
    flags.Positional("JOB", job_, "A job's id", Flags::Need::kRequired);
    cluster_.Declare(flags);
    flags.Switch("--json", json_, "Print JSON");
  }
  std::string job() const override { return job_; }
  StatusOr<int> Run(Context& context) override {
    DL_ASSIGN_OR_RETURN(Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kToAsk));
    DL_ASSIGN_OR_RETURN(const Json job, QueryJob(session.client(), job_));
    DL_ASSIGN_OR_RETURN(
        std::string said,
        ActOnJob(session.client(), {.job = job_, .action = rpc::JobAction::kCancel}));
    // The master of a data folder ends with this command: the job has to be over before.
    if (!session.is_remote() && !HasEnded(job)) {
      DL_ASSIGN_OR_RETURN(const Json result,
                          launch::FollowJob(job_, {.timeout = kCancelLimit}, session.client()));
      said = absl::StrCat(job_, " is ", TextAt(result, "state"));
    }
    context.out << (json_ ? Json{{"job", job_}, {"message", said}}.dump() : said) << std::endl;
    return kSuccess;
  }

 private:
  ClusterFlags cluster_;
  std::string job_;
  bool json_ = false;
};

class ResumeCommand final : public Command {
 public:
  std::string_view name() const override { return "resume"; }
  std::string_view summary() const override {
    return "Go on with a cancelled or failed job, to the bit as if it had never stopped";
  }
  std::string_view examples() const override {
    return "  dl-submit resume lenet5-1\n"
           "  dl-submit resume --master dl://127.0.0.1:7077 lenet5-1 -d\n"
           "  dl-submit resume lenet5-1 --rebind    # on a CPU of another kernel contract: other "
           "bits from here on\n"
           "An older checkpoint starts a new job instead: dl-submit run JOB --resume-from "
           "lenet5-1@470";
  }
  void Declare(Flags& flags) override {
    flags.Positional("JOB", job_, "A job's id", Flags::Need::kRequired);
    cluster_.Declare(flags);
    flags.Switch("--rebind", rebind_, "Start a new kernel contract at the last commit");
    flags.Choice("--isa", "ISA", isa_, {"avx2", "avx512"},
                 "With --rebind on a local cluster: the new contract's (the best here)");
    flags.Switch("-d,--detach", detach_, "Do not follow it");
    flags.Switch("-q,--quiet", quiet_, "Print the job's id only");
    flags.Switch("--json", json_, "Print events, and the result as the last line, as JSON");
  }
  std::string job() const override { return job_; }
  StatusOr<int> Run(Context& context) override {
    DL_RETURN_IF_ERROR(CheckQuietOrJson(quiet_, json_));
    DL_ASSIGN_OR_RETURN(Settings settings, cluster_.Resolve(context));
    if (detach_) DL_RETURN_IF_ERROR(CheckDetach(settings));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kToResume));
    if (!isa_.empty() && (!rebind_ || session.is_remote())) {
      return UsageError({.message = "a job goes on with the kernel contract that it has, and a "
                                    "standing cluster computes with its executors'",
                         .where = "--isa",
                         .remedy = "Leave --isa out, or give --rebind with a local --master"});
    }
    DL_ASSIGN_OR_RETURN(const Json job, QueryJob(session.client(), job_));
    if (rebind_ && !HasEnded(job)) {
      return WithExitCode(
          FailedPrecondition({.message = absl::StrCat(job_, " is ", TextAt(job, "state"),
                                                      "; only a job that was stopped is rebound"),
                              .where = job_,
                              .remedy = absl::StrCat("First: dl-submit cancel",
                                                     session.next.run_flags, " ", job_)}),
          kFailed);
    }
    // Events of the attempt before, its result among them, are not this one's; but all are that a
    // job has which goes on by itself.
    int64_t after = 0;
    if (HasEnded(job)) {
      DL_ASSIGN_OR_RETURN(after, LatestSequence(session.client(), job_));
    }
    // Before the job changes its state: this machine may not be able to compute it.
    std::string isa = isa_;
    if (!session.is_remote() && !rebind_) {
      DL_ASSIGN_OR_RETURN(isa, IsaOfJob(session, job));
    }
    std::string said = absl::StrCat(job_, " is ", TextAt(job, "state"),
                                    detach_ ? "; it goes on by itself" : "; it is followed");
    if (HasEnded(job)) {
      DL_ASSIGN_OR_RETURN(
          said, ActOnJob(session.client(),
                         {.job = job_, .action = rpc::JobAction::kResume, .rebind = rebind_}));
    }
    DL_RETURN_IF_ERROR(StartExecutors(session, isa));
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
         .style = StyleFor(context, json_, quiet_)});
  }

 private:
  ClusterFlags cluster_;
  std::string job_, isa_;
  bool rebind_ = false, detach_ = false, quiet_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeCancel() { return std::make_unique<CancelCommand>(); }
std::unique_ptr<Command> MakeResume() { return std::make_unique<ResumeCommand>(); }

}  // namespace dl::cli
