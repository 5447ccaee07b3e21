// The command `compare`.
#include <ostream>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "cli/clusters/cluster_flags.h"
#include "cli/command_session.h"
#include "cli/commands/commands.h"
#include "cli/exit_code.h"
#include "cli/jobs/interrupted_job.h"
#include "cli/jobs/job_query.h"
#include "cli/jobs/series_query.h"
#include "cli/output/comparison_text.h"
#include "web/documents/job_comparison.h"

namespace dl::cli {
namespace {

class CompareCommand final : public Command {
 public:
  std::string_view name() const override { return "compare"; }
  std::string_view json_lines() const override { return "Comparison"; }
  std::string_view summary() const override {
    return "Compare jobs: results, curves, and the settings that differ";
  }
  std::string_view examples() const override {
    return "  dl-submit compare lenet5-1 lenet5-2\n"
           "  dl-submit compare --master dl://127.0.0.1:7077 lenet5-1 lenet5-2 lenet5-3 --series "
           "test/accuracy\n"
           "  dl-submit compare $(dl-submit list -q) --json";
  }
  void Declare(Flags& flags) override {
    flags.Positionals("JOB", jobs_, "Ids of two or more jobs");
    cluster_.Declare(flags);
    flags.Text("--series", "NAMES", series_,
               "Draw these figures by round: names separated by commas, with * for any characters. "
               "Default: train/loss,test/loss.");
    flags.Integer("--points", "N", points_,
                  "Most points of a curve, 2 to 1000. If there are more rounds, a point is their "
                  "mean. Default: 60.",
                  2, 1000);
    flags.Switch("--json", json_, "Print JSON");
  }

  StatusOr<int> Run(Context& context) override {
    DL_ASSIGN_OR_RETURN(const std::vector<std::string> ids, DistinctJobs());
    DL_ASSIGN_OR_RETURN(const Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kSessionToRead));
    std::vector<Json> jobs;
    for (const std::string& id : ids) {
      DL_ASSIGN_OR_RETURN(Json job, QueryJob(session.client(), id));
      MarkInterrupted(session, job);
      jobs.push_back(std::move(job));
    }
    DL_ASSIGN_OR_RETURN(Json comparison, web::Comparison(session.client(), std::move(jobs)));
    const bool is_default = series_.empty();
    if (is_default) series_ = kDefaultSeries;
    std::vector<ComparedCurves> curves;
    Json all = Json::array();
    std::set<std::string> names;  // of all series of the jobs
    bool has_curve = false;
    for (const std::string& id : ids) {
      DL_ASSIGN_OR_RETURN(SeriesReply reply,
                          FindSeries(session.client(), {.what = rpc::QueryKind::kSeries,
                                                        .job = id,
                                                        .series = series_,
                                                        .max_entries = points_}));
      names.insert(reply.names.begin(), reply.names.end());
      has_curve = has_curve || !reply.curves.empty();
      for (Json& curve : reply.json["curves"]) {
        curve["job"] = id;
        all.push_back(std::move(curve));
      }
      curves.push_back({.job = id, .curves = std::move(reply.curves)});
    }
    if (!has_curve && !is_default) return NoSeries(names);
    if (json_) {
      comparison["curves"] = std::move(all);
      context.out << JsonText(comparison) << "\n";
    } else {
      context.out << ComparisonText(comparison, curves);
    }
    context.out << std::flush;
    return kSuccess;
  }

 private:
  static constexpr char kDefaultSeries[] = "train/loss,test/loss";

  Status NoSeries(const std::set<std::string>& names) const {
    if (names.empty())
      return NotFound({.message = "the jobs have no figures by round yet", .where = "--series"});
    return NotFound({.message = absl::StrCat("no job has a series ", series_),
                     .where = "--series",
                     .remedy = "Their series are: " + absl::StrJoin(names, ", ")});
  }

  StatusOr<std::vector<std::string>> DistinctJobs() const {
    std::vector<std::string> ids;
    std::set<std::string> known;
    for (const std::string& id : jobs_) {
      if (known.insert(id).second) ids.push_back(id);
    }
    if (ids.size() < 2) {
      return UsageError({.message = "a comparison needs two or more different jobs",
                         .where = "JOB",
                         .remedy = "List the jobs with: dl-submit list"});
    }
    if (ids.size() > web::kMaxCompared) {
      return UsageError({.message = absl::StrCat("a comparison has at most ", web::kMaxCompared,
                                                 " jobs, not ", ids.size()),
                         .where = "JOB",
                         .remedy = "Name fewer jobs"});
    }
    return ids;
  }

  ClusterFlags cluster_;
  std::vector<std::string> jobs_;
  std::string series_;
  int64_t points_ = 60;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeCompare() { return std::make_unique<CompareCommand>(); }

}  // namespace dl::cli
