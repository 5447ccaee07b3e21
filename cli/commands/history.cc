// The command `history`.
#include <algorithm>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/clusters/cluster_flags.h"
#include "cli/command_session.h"
#include "cli/commands/commands.h"
#include "cli/exit_code.h"
#include "cli/jobs/job_events.h"
#include "cli/jobs/job_history.h"
#include "cli/jobs/job_query.h"
#include "cli/output/history_text.h"

namespace dl::cli {
namespace {

class HistoryCommand final : public Command {
 public:
  std::string_view name() const override { return "history"; }
  std::string_view summary() const override {
    return "Print the figures of a job's epochs, as a chart and a table";
  }
  std::string_view examples() const override {
    return "  dl-submit history --master dl://127.0.0.1:7077 lenet5-1\n"
           "  dl-submit history --master dl://127.0.0.1:7077 lenet5-1 --csv > epochs.csv";
  }
  void Declare(Flags& flags) override {
    flags.Positional("JOB", job_, "Id of the job", Flags::Need::kRequired);
    cluster_.Declare(flags);
    flags.Text("--metric", "NAME", metric_,
               "Draw this figure. Default: the metric of early stopping, or the loss.");
    flags.Switch("--csv", csv_, "Print the table as CSV");
    flags.Switch("--json", json_, "Print JSON, with the epochs that were rolled back");
  }
  std::string job() const override { return job_; }

  StatusOr<int> Run(Context& context) override {
    if (csv_ && json_) return UsageError({.message = "--csv and --json exclude each other"});
    DL_ASSIGN_OR_RETURN(const Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kToRead));
    DL_RETURN_IF_ERROR(QueryJob(session.client(), job_).status());
    JobHistory history;
    DL_RETURN_IF_ERROR(ForEachEvent(session.client(), job_, [&](const Json& event) {
      history.Add(event);
      return true;
    }));
    if (json_) {
      context.out << JsonText(HistoryJson(job_, history)) << "\n";
    } else if (csv_) {
      context.out << HistoryCsv(history);
    } else {
      DL_RETURN_IF_ERROR(Print(history, context));
    }
    context.out << std::flush;
    return kSuccess;
  }

 private:
  Status Print(const JobHistory& history, Context& context) const {
    const std::vector<std::string> names = history.Names();
    std::string metric = metric_;
    if (metric.empty()) metric = history.watched().empty() ? "loss" : history.watched();
    if (history.epochs().empty()) {
      context.out << job_ << " has not finished an epoch\n";
      return absl::OkStatus();
    }
    if (std::ranges::find(names, metric) == names.end()) {
      return NotFound({.message = absl::StrCat("no epoch of ", job_, " has the figure ", metric),
                       .where = "--metric",
                       .remedy = "Use one of " + absl::StrJoin(names, ", ")});
    }
    context.out << HistoryText(history, metric);
    if (!history.rolled_back().empty()) {
      context.out << history.rolled_back().size()
                  << " epochs were rolled back and do not count; --json prints them\n";
    }
    return absl::OkStatus();
  }

  ClusterFlags cluster_;
  std::string job_, metric_;
  bool csv_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeHistory() { return std::make_unique<HistoryCommand>(); }

}  // namespace dl::cli
