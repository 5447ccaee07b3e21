// The commands `logs`, `attach` and `wait`.
#include <ostream>

#include "cli/clusters/cluster_flags.h"
#include "cli/command_session.h"
#include "cli/commands/commands.h"
#include "cli/exit_code.h"
#include "cli/jobs/follow.h"
#include "cli/jobs/job_events.h"
#include "cli/jobs/job_query.h"
#include "cli/output/json_fields.h"

namespace dl::cli {
namespace {

// Common part of the three commands: the job, the cluster and --json.
class Watching : public Command {
 public:
  std::string_view json_lines() const override { return "Event|Result"; }
  void Declare(Flags& flags) override {
    flags.Positional("JOB", job_, "Id of the job", Flags::Need::kRequired);
    cluster_.Declare(flags);
    flags.Switch("--json", json_, "Print events as JSON, the result last");
  }
  std::string job() const override { return job_; }
  bool Computes() const override { return true; }  // a local job is computed while it is followed

 protected:
  StatusOr<Session> Open(Context& context, const SessionOptions& options) {
    DL_ASSIGN_OR_RETURN(Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, options));
    DL_ASSIGN_OR_RETURN(Json job, QueryJob(session.client(), job_));
    // A local job is computed by the command that follows it.
    if (options.executors != SessionOptions::Executors::kNone)
      DL_RETURN_IF_ERROR(ComputeJob(session, job));
    return session;
  }

  ClusterFlags cluster_;
  std::string job_;
  bool json_ = false;
};

class LogsCommand final : public Watching {
 public:
  std::string_view name() const override { return "logs"; }
  std::string_view summary() const override { return "Print the events of a job so far"; }
  std::string_view examples() const override {
    return "  dl-submit logs --master dl://127.0.0.1:7077 lenet5-1\n"
           "  dl-submit logs --master dl://127.0.0.1:7077 lenet5-1 -f";
  }
  void Declare(Flags& flags) override {
    Watching::Declare(flags);
    flags.Switch("-f,--follow", follow_, "Continue until the job ends");
  }
  StatusOr<int> Run(Context& context) override {
    DL_ASSIGN_OR_RETURN(Session session,
                        Open(context, follow_ ? kSessionToFollow : kSessionToRead));
    if (follow_) {
      return FollowToEnd(session, context,
                         {.job = job_, .style = json_ ? EventStyle::kJson : EventStyle::kLog});
    }
    std::string state;  // last printed state, because the result repeats it
    DL_RETURN_IF_ERROR(ForEachEvent(session.client(), job_, [&](Json event) {
      const std::string type = TextAt(event, "type");
      const bool repeats = type == "result" && TextAt(event, "state") == state;
      if (type == "state") state = TextAt(event, "state");
      if (type == "result") event["exit_code"] = ExitCodeForState(TextAt(event, "state"));
      if (json_) {
        context.out << event.dump() << "\n";
      } else if (const std::string line = repeats ? "" : RenderLogLine(event); !line.empty()) {
        context.out << line << "\n";
      }
      return context.out.good();
    }));
    context.out << std::flush;
    return kSuccess;
  }

 private:
  bool follow_ = false;
};

class AttachCommand final : public Watching {
 public:
  std::string_view name() const override { return "attach"; }
  std::string_view summary() const override {
    return "Follow a job to its end; Ctrl-C only detaches";
  }
  std::string_view examples() const override {
    return "  dl-submit attach --master dl://127.0.0.1:7077 lenet5-1";
  }
  StatusOr<int> Run(Context& context) override {
    DL_ASSIGN_OR_RETURN(Session session, Open(context, kSessionToFollow));
    return FollowToEnd(session, context,
                       {.job = job_, .style = StyleFor(context, json_, /*quiet=*/false)});
  }
};

class WaitCommand final : public Watching {
 public:
  std::string_view name() const override { return "wait"; }
  std::string_view summary() const override { return "Wait until a job ends; exit with its code"; }
  std::string_view examples() const override {
    return "  dl-submit wait --master dl://127.0.0.1:7077 lenet5-1 --timeout 3600 --json";
  }
  void Declare(Flags& flags) override {
    Watching::Declare(flags);
    flags.Integer(
        "--timeout", "SECONDS", timeout_s_,
        "Stop waiting after this time, with exit code 124; 0 waits without limit. Default: 0.", 0,
        1 << 30);
  }
  StatusOr<int> Run(Context& context) override {
    DL_ASSIGN_OR_RETURN(Session session, Open(context, kSessionToFollow));
    return FollowToEnd(session, context,
                       {.job = job_,
                        .style = json_ ? EventStyle::kJson : EventStyle::kNone,
                        .timeout = std::chrono::seconds(timeout_s_)});
  }

 private:
  int64_t timeout_s_ = 0;
};

}  // namespace

std::unique_ptr<Command> MakeLogs() { return std::make_unique<LogsCommand>(); }
std::unique_ptr<Command> MakeAttach() { return std::make_unique<AttachCommand>(); }
std::unique_ptr<Command> MakeWait() { return std::make_unique<WaitCommand>(); }

}  // namespace dl::cli
