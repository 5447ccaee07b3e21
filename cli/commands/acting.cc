// cancel and resume.
#include <ostream>

#include "cli/cluster_flags.h"
#include "cli/commands/commands.h"
#include "cli/exit_code.h"
#include "cli/follow.h"
#include "cli/job_action.h"
#include "cli/json_fields.h"

namespace dl::cli {
namespace {

class CancelCommand final : public Command {
 public:
  std::string_view name() const override { return "cancel"; }
  std::string_view summary() const override { return "Stop a job behind a last checkpoint"; }
  std::string_view examples() const override {
    return "  dl-submit cancel --master dl://127.0.0.1:7077 lenet5-1";
  }
  void Declare(Flags& flags) override {
    flags.Positional("JOB", job_, "A job's id", Flags::Need::kRequired);
    cluster_.Declare(flags);
    flags.Switch("--json", json_, "Print JSON");
  }
  bool json() const override { return json_; }
  std::string job() const override { return job_; }
  StatusOr<int> Run(Context& context) override {
    DL_ASSIGN_OR_RETURN(Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, {}));
    DL_ASSIGN_OR_RETURN(
        std::string said,
        ActOnJob(session.client(), {.job = job_, .action = rpc::JobAction::kCancel}));
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
    flags.Text("--isa", "ISA", isa_, "Local clusters: compute with avx2 or avx512");
    flags.Switch("-d,--detach", detach_, "Do not follow it");
    flags.Switch("-q,--quiet", quiet_, "Print the job's id only");
    flags.Switch("--json", json_, "Print events, and the result as the last line, as JSON");
  }
  bool json() const override { return json_; }
  std::string job() const override { return job_; }
  StatusOr<int> Run(Context& context) override {
    DL_ASSIGN_OR_RETURN(Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, {SessionUse::kCompute, isa_}));
    if (detach_ && !session.is_remote()) {
      return UsageError({.message = "a local cluster ends with this command",
                         .where = "--detach",
                         .remedy = "Give the --master of a standing cluster, dl://host:port"});
    }
    // Events of the attempt before, its result among them, are not this one's.
    DL_ASSIGN_OR_RETURN(const int64_t after, LatestSequence(session.client(), job_));
    DL_ASSIGN_OR_RETURN(Json job, QueryJson(session.client(), "job", job_));
    const std::string state = TextAt(job, "state");
    std::string said = job_ + " is " + state + "; it is followed";
    if (state == "CANCELLED" || state == "FAILED" || state == "SUCCEEDED" || state == "REJECTED") {
      DL_ASSIGN_OR_RETURN(
          said, ActOnJob(session.client(),
                         {.job = job_, .action = rpc::JobAction::kResume, .rebind = rebind_}));
    }
    if (quiet_) {
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
