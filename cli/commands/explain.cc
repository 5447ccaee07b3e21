// The command `explain`.
#include <ostream>

#include "cli/clusters/cluster_flags.h"
#include "cli/command_session.h"
#include "cli/commands/commands.h"
#include "cli/exit_code.h"
#include "cli/jobs/job_explanation.h"

namespace dl::cli {
namespace {

class ExplainCommand final : public Command {
 public:
  std::string_view name() const override { return "explain"; }
  std::string_view json_lines() const override { return "Explanation"; }
  std::string_view summary() const override {
    return "Explain the state of a job as one JSON document: reason, curves, findings, hints";
  }
  std::string_view examples() const override {
    return "  dl-submit explain lenet5-1\n"
           "  dl-submit explain --master dl://127.0.0.1:7077 lenet5-1 | jq -r "
           "'.findings[].sentence'";
  }
  void Declare(Flags& flags) override {
    flags.Positional("JOB", job_, "Id of the job", Flags::Need::kRequired);
    cluster_.Declare(flags);
    flags.Switch("--json", json_, "Print one line, also on a terminal");
  }
  std::string job() const override { return job_; }
  bool PrintsJson() const override { return true; }

  StatusOr<int> Run(Context& context) override {
    DL_ASSIGN_OR_RETURN(const Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kSessionToRead));
    DL_ASSIGN_OR_RETURN(const Json document, MakeJobExplanation(session, job_));
    const bool in_one_line = json_ || !context.out_on_terminal;
    context.out << (in_one_line ? document.dump() : document.dump(2)) << std::endl;
    return kSuccess;
  }

 private:
  ClusterFlags cluster_;
  std::string job_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeExplain() { return std::make_unique<ExplainCommand>(); }

}  // namespace dl::cli
