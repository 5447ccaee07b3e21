// The command `checkpoints`: lists, pins, unpins and writes checkpoints of a job.
#include <ostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/clusters/cluster_flags.h"
#include "cli/command_session.h"
#include "cli/commands/commands.h"
#include "cli/exit_code.h"
#include "cli/jobs/job_action.h"
#include "cli/jobs/job_query.h"
#include "cli/output/json_fields.h"
#include "cli/output/loss_text.h"
#include "cli/output/table.h"
#include "rpc/messages.h"

namespace dl::cli {
namespace {

// The first digits of a hash are enough to distinguish checkpoints.
constexpr size_t kShortHash = 12;

std::string CheckpointTable(const Json& list, bool whole_hashes) {
  std::vector<std::vector<std::string>> rows = {
      {"CHECKPOINT", "EPOCH", "STATE_SHA256", "LOSS", "ACCURACY", "KEPT"}};
  for (const Json& item : list) {
    const Json* test = Member(item, "test");
    std::string kept = FlagAt(item, "pinned") ? "pinned" : "";
    if (Member(item, "set_aside") != nullptr) kept += kept.empty() ? "set aside" : ", set aside";
    if (FlagAt(item, "best")) kept += kept.empty() ? "best" : ", best";
    rows.push_back({TextAt(item, "checkpoint"), std::to_string(IntegerAt(item, "epoch")),
                    TextAt(item, "state_sha256").substr(0, whole_hashes ? 64 : kShortHash),
                    test == nullptr ? "-" : LossText(NumberAt(*test, "loss"), 6),
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
  std::string_view json_lines() const override { return "Checkpoint|JobAnswer"; }
  std::string_view summary() const override {
    return "List, pin, unpin or write checkpoints of a job";
  }
  std::string_view examples() const override {
    return "  dl-submit checkpoints lenet5-1\n"
           "  dl-submit checkpoints lenet5-1 --pin best\n"
           "  dl-submit checkpoints --master dl://127.0.0.1:7077 lenet5-1 --now";
  }
  void Declare(Flags& flags) override {
    flags.Positional("JOB", job_,
                     "Id of the job. JOB@ROUND~K in the list is a checkpoint that rollback K set "
                     "aside: its round no longer counts.",
                     Flags::Need::kRequired);
    cluster_.Declare(flags);
    flags.Text("--pin", "ROUND", pin_,
               "Protect a checkpoint from deletion: its round, ROUND~K, best or last");
    flags.Text("--unpin", "ROUND", unpin_,
               "End the protection of a checkpoint: its round, ROUND~K, best or last");
    flags.Switch("--long", long_, "Print full hashes");
    flags.Switch("--now", now_, "Write a checkpoint of the last committed round");
    flags.Switch("--json", json_, "Print one JSON object a line");
  }
  std::string job() const override { return job_; }
  StatusOr<int> Run(Context& context) override {
    if (!pin_.empty() + !unpin_.empty() + now_ > 1) {
      return UsageError(
          {.message = "--pin, --unpin and --now exclude each other", .remedy = "Give one of them"});
    }
    DL_ASSIGN_OR_RETURN(Settings settings, cluster_.Resolve(context));
    const bool acts = !pin_.empty() || !unpin_.empty() || now_;
    DL_ASSIGN_OR_RETURN(Session session,
                        OpenSession(settings, acts ? kSessionToAct : kSessionToRead));
    DL_RETURN_IF_ERROR(QueryJob(session.client(), job_).status());
    if (acts) {
      const rpc::JobAction action = now_            ? rpc::JobAction::kCheckpoint
                                    : !pin_.empty() ? rpc::JobAction::kPin
                                                    : rpc::JobAction::kUnpin;
      DL_ASSIGN_OR_RETURN(const rpc::RoundName round, Round(session));
      DL_ASSIGN_OR_RETURN(std::string said,
                          ActOnJob(session.client(), {.job = job_,
                                                      .action = action,
                                                      .round = round.number,
                                                      .set_aside = round.set_aside}));
      context.out << (json_ ? Json{{"job", job_}, {"message", said}}.dump() : said) << std::endl;
      return kSuccess;
    }
    DL_ASSIGN_OR_RETURN(Json list, QueryJson(session.client(), rpc::QueryKind::kCheckpoints, job_));
    if (json_) {
      for (const Json& checkpoint : list) context.out << checkpoint.dump() << "\n";
    } else {
      context.out << CheckpointTable(list, long_);
    }
    context.out << std::flush;
    return kSuccess;
  }

 private:
  // Returns the checkpoint that --pin or --unpin names, by number; -1 for --now.
  StatusOr<rpc::RoundName> Round(Session& session) const {
    rpc::RoundName named{.which = rpc::RoundName::Which::kNumber, .number = -1};
    if (now_) return named;
    const std::string& text = pin_.empty() ? unpin_ : pin_;
    const auto round = rpc::ParseRound(text);
    if (!round) {
      return UsageError({.message = absl::StrCat("\"", text, "\" is not a round"),
                         .where = pin_.empty() ? "--unpin" : "--pin",
                         .remedy = "Give a round number, best or last; ROUND~K for a checkpoint "
                                   "that rollback K set aside"});
    }
    // The master checks a number.
    if (round->which == rpc::RoundName::Which::kNumber) return *round;
    DL_ASSIGN_OR_RETURN(const Json checkpoint, CheckpointOf({job_, *round}, session.client()));
    named.number = IntegerAt(checkpoint, "round");
    return named;
  }

  ClusterFlags cluster_;
  std::string job_, pin_, unpin_;
  bool now_ = false, long_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeCheckpoints() { return std::make_unique<CheckpointsCommand>(); }

}  // namespace dl::cli
