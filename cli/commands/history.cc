// The command `history`.
#include <algorithm>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/clusters/cluster_flags.h"
#include "cli/command_session.h"
#include "cli/commands/commands.h"
#include "cli/exit_code.h"
#include "cli/jobs/histogram_query.h"
#include "cli/jobs/job_events.h"
#include "cli/jobs/job_history.h"
#include "cli/jobs/job_query.h"
#include "cli/jobs/series_query.h"
#include "cli/output/histogram_text.h"
#include "cli/output/history_text.h"
#include "cli/output/series_text.h"

namespace dl::cli {
namespace {

class HistoryCommand final : public Command {
 public:
  std::string_view name() const override { return "history"; }
  std::string_view json_lines() const override { return "History|Series|Histograms"; }
  std::string_view summary() const override {
    return "Print the figures of a job's epochs or rounds, as charts, a table, CSV or JSON";
  }
  std::string_view examples() const override {
    return "  dl-submit history --master dl://127.0.0.1:7077 lenet5-1\n"
           "  dl-submit history --master dl://127.0.0.1:7077 lenet5-1 --csv > epochs.csv\n"
           "  dl-submit history lenet5-1 --series 'train/loss,layer/*/drift' --rounds 100-";
  }
  void Declare(Flags& flags) override {
    flags.Positional("JOB", job_, "Id of the job", Flags::Need::kRequired);
    cluster_.Declare(flags);
    flags.Text("--metric", "NAME", metric_,
               "Draw this figure. Default: the metric of early stopping, or the loss.");
    flags.Text("--series", "NAMES", series_,
               "Print these figures by round, not by epoch: names separated by commas, with * for "
               "any characters. A name that does not exist lists all.");
    flags.Text("--histograms", "NAMES", histograms_,
               "Print these histograms of layers (training.statistics): names as "
               "layer/conv1/parameters, .../changes or .../activations, separated by commas, with "
               "* for any characters");
    flags.Text("--rounds", "FIRST-LAST", rounds_,
               "With --series: only these rounds. Default: all. LAST may be missing. With "
               "--histograms: the default is the newest recorded round.");
    flags.Integer("--points", "N", points_,
                  "With --series: most points of a curve, 2 to 20000. If there are more rounds, a "
                  "point is their mean, with the smallest and the largest value. With "
                  "--histograms: most rounds. Default: 1000.",
                  2, 20'000);
    flags.Integer(
        "--rollback", "N", rollback_,
        "With --series: the rounds that rollback N removed. Default: 0, those that count.", 0,
        INT32_MAX);
    flags.Switch("--csv", csv_, "Print the table as CSV");
    flags.Switch("--json", json_, "Print JSON, with the epochs or rounds that were rolled back");
  }
  std::string job() const override { return job_; }

  StatusOr<int> Run(Context& context) override {
    if (csv_ && json_) return UsageError({.message = "--csv and --json exclude each other"});
    DL_RETURN_IF_ERROR(CheckSeriesFlags());
    DL_ASSIGN_OR_RETURN(const Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kSessionToRead));
    DL_RETURN_IF_ERROR(QueryJob(session.client(), job_).status());
    if (!series_.empty()) return PrintSeries(session.client(), context);
    if (!histograms_.empty()) return PrintHistograms(session.client(), context);
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
  Status CheckSeriesFlags() const {
    if (series_.empty() && histograms_.empty() && (!rounds_.empty() || points_ != 1000))
      return UsageError({.message = "--rounds and --points need --series or --histograms"});
    if (series_.empty() && rollback_ != 0)
      return UsageError({.message = "--rollback needs --series"});
    if (!series_.empty() + !histograms_.empty() + !metric_.empty() > 1)
      return UsageError({.message = "--metric, --series and --histograms exclude each other"});
    if (!rounds_.empty() && rollback_ != 0)
      return UsageError({.message = "--rounds and --rollback exclude each other"});
    if (!rounds_.empty() && !ParseRoundRange(rounds_)) {
      return UsageError({.message = absl::StrCat("\"", rounds_, "\" is no range of rounds"),
                         .where = "--rounds",
                         .remedy = "Write FIRST-LAST, FIRST- or one number, from 1"});
    }
    return absl::OkStatus();
  }

  StatusOr<int> PrintSeries(rpc::ClientService& client, Context& context) const {
    const RoundRange range = ParseRoundRange(rounds_).value_or(RoundRange());
    const auto reply = QuerySeries(client, {.what = rpc::QueryKind::kSeries,
                                            .job = job_,
                                            .first = range.first,
                                            .series = series_,
                                            .last = range.last,
                                            .max_entries = points_,
                                            .branch = rollback_});
    if (!reply.ok()) return AsFlagError(reply.status(), "--series");
    context.out << (json_  ? JsonText(reply->json) + "\n"
                    : csv_ ? SeriesCsv(*reply)
                           : SeriesText(*reply))
                << std::flush;
    return kSuccess;
  }

  StatusOr<int> PrintHistograms(rpc::ClientService& client, Context& context) const {
    const std::optional<RoundRange> range = ParseRoundRange(rounds_);
    const auto reply = QueryHistograms(client, {.what = rpc::QueryKind::kHistograms,
                                                .job = job_,
                                                .first = range ? range->first : 0,
                                                .series = histograms_,
                                                .last = range ? range->last : 0,
                                                .max_entries = range ? points_ : 1,
                                                .buckets = json_});
    if (!reply.ok()) return AsFlagError(reply.status(), "--histograms");
    if (reply->histograms.empty()) {
      const bool records = reply->every_rounds > 0;
      return NotFound(
          {.message =
               absl::StrCat(job_, records ? " has no histogram " : " has no histograms",
                            records ? histograms_ : "", records && range ? " in these rounds" : ""),
           .where = "--histograms",
           .remedy = records ? "Use layer/*/parameters, layer/*/changes or layer/*/activations"
                             : "Submit a job with --set training.statistics.every_rounds=10"});
    }
    context.out << (json_  ? JsonText(HistogramJson(job_, *reply)) + "\n"
                    : csv_ ? HistogramCsv(*reply)
                           : HistogramText(*reply))
                << std::flush;
    return kSuccess;
  }

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
  std::string job_, metric_, series_, histograms_, rounds_;
  int64_t points_ = 1000, rollback_ = 0;
  bool csv_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeHistory() { return std::make_unique<HistoryCommand>(); }

}  // namespace dl::cli
