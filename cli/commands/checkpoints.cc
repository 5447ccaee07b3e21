// checkpoints: what a job has, and what is to be kept.
#include <ostream>

#include "absl/strings/str_format.h"
#include "cli/cluster_flags.h"
#include "cli/commands/commands.h"
#include "cli/exit_code.h"
#include "cli/job_action.h"
#include "cli/job_query.h"
#include "cli/json_fields.h"
#include "cli/session.h"
#include "cli/table.h"

namespace dl::cli {
namespace {

std::string CheckpointTable(const Json& list) {
  std::vector<std::vector<std::string>> rows = {
      {"CHECKPOINT", "EPOCH", "STATE_SHA256", "TEST LOSS", "TEST ACCURACY", "KEPT"}};
  for (const Json& item : list) {
    const Json* test = Member(item, "test");
    std::string kept = FlagAt(item, "pinned") ? "pinned" : "";
    if (FlagAt(item, "best")) kept += kept.empty() ? "best" : ", best";
    rows.push_back({TextAt(item, "checkpoint"), std::to_string(IntegerAt(item, "epoch")),
                    TextAt(item, "state_sha256"),
                    test == nullptr ? "-" : absl::StrFormat("%.6f", NumberAt(*test, "loss")),
                    test == nullptr || Member(*test, "accuracy") == nullptr
                        ? "-"
                        : absl::StrFormat("%.2f %%", 100 * NumberAt(*test, "accuracy")),
                    kept});
  }
  return RenderTable(rows);
}

class CheckpointsCommand final : public Command {
 public:
  std::string_view name() const override { return "checkpoints"; }
  std::string_view summary() const override {
    return "List a job's checkpoints; pin, unpin or write one";
  }
  std::string_view examples() const override {
    return "  dl-submit checkpoints lenet5-1\n  dl-submit checkpoints lenet5-1 --pin 470\n"
           "  dl-submit checkpoints --master dl://127.0.0.1:7077 lenet5-1 --now";
  }
  void Declare(Flags& flags) override {
    flags.Positional("JOB", job_, "A job's id", Flags::Need::kRequired);
    cluster_.Declare(flags);
    flags.Integer("--pin", "ROUND", pin_, "Keep this one whatever comes", 0, INT64_MAX);
    flags.Integer("--unpin", "ROUND", unpin_, "No longer keep this one", 0, INT64_MAX);
    flags.Switch("--now", now_, "Write one of the last committed round");
    flags.Switch("--json", json_, "Print JSON");
  }
  std::string job() const override { return job_; }
  StatusOr<int> Run(Context& context) override {
    if ((pin_ >= 0) + (unpin_ >= 0) + now_ > 1) {
      return UsageError(
          {.message = "--pin, --unpin and --now exclude each other", .remedy = "Give one of them"});
    }
    DL_ASSIGN_OR_RETURN(Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kToAsk));
    DL_RETURN_IF_ERROR(QueryJob(session.client(), job_).status());
    if (pin_ >= 0 || unpin_ >= 0 || now_) {
      const rpc::JobAction action = now_        ? rpc::JobAction::kCheckpoint
                                    : pin_ >= 0 ? rpc::JobAction::kPin
                                                : rpc::JobAction::kUnpin;
      DL_ASSIGN_OR_RETURN(
          std::string said,
          ActOnJob(session.client(),
                   {.job = job_, .action = action, .round = pin_ >= 0 ? pin_ : unpin_}));
      context.out << (json_ ? Json{{"job", job_}, {"message", said}}.dump() : said) << std::endl;
      return kSuccess;
    }
    DL_ASSIGN_OR_RETURN(Json list, QueryJson(session.client(), "checkpoints", job_));
    context.out << (json_ ? list.dump() + "\n" : CheckpointTable(list)) << std::flush;
    return kSuccess;
  }

 private:
  ClusterFlags cluster_;
  std::string job_;
  int64_t pin_ = -1, unpin_ = -1;
  bool now_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeCheckpoints() { return std::make_unique<CheckpointsCommand>(); }

}  // namespace dl::cli
