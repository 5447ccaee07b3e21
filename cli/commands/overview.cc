// The commands `status` and `list`: show the state of a cluster and its jobs.
#include <algorithm>
#include <chrono>
#include <iterator>
#include <ostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/clusters/cluster_flags.h"
#include "cli/command_session.h"
#include "cli/commands/commands.h"
#include "cli/exit_code.h"
#include "cli/jobs/follow.h"
#include "cli/jobs/interrupted_job.h"
#include "cli/jobs/job_query.h"
#include "cli/jobs/scheduling_flags.h"
#include "cli/output/json_fields.h"
#include "cli/output/overview_text.h"
#include "launch/all_jobs.h"
#include "launch/pause.h"

namespace dl::cli {
namespace {

class StatusCommand final : public Command {
 public:
  std::string_view name() const override { return "status"; }
  std::string_view json_lines() const override { return "Job|Cluster"; }
  std::string_view summary() const override { return "Show the cluster, or one job in detail"; }
  std::string_view examples() const override {
    return "  dl-submit status --master dl://127.0.0.1:7077\n"
           "  dl-submit status --master dl://127.0.0.1:7077 lenet5-1 --json\n"
           "  dl-submit status --master dl://127.0.0.1:7077 --watch";
  }
  void Declare(Flags& flags) override {
    flags.Positional("JOB", job_, "Id of a job. Default: show the cluster.",
                     Flags::Need::kOptional);
    cluster_.Declare(flags);
    flags.Switch("--long", long_, "Print full kernel contracts of executors");
    flags.Switch("--json", json_, "Print JSON");
    flags.Switch("--watch", watch_, "Refresh every second, until the job ends or Ctrl-C");
  }
  std::string job() const override { return job_; }
  StatusOr<int> Run(Context& context) override {
    DL_ASSIGN_OR_RETURN(Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kSessionToRead));
    if (watch_) return Watch(settings, std::move(session), context);
    DL_ASSIGN_OR_RETURN(const Shown shown, Show(session));
    context.out << shown.text << std::flush;
    return kSuccess;
  }

 private:
  static constexpr std::string_view kClearScreen = "\x1b[H\x1b[2J";
  // Age of answers that --watch accepts. Cached answers neither burden the master nor wait for its
  // disk.
  static constexpr int64_t kWatchedAgeMs = 10'000;

  struct Shown {
    std::string text;
    bool ended = false;
  };

  // If the master of a standing cluster does not answer, waits for it. If a local master has ended,
  // its command has ended too, so the rest is read from its folder.
  StatusOr<int> Watch(const Settings& settings, Session session, Context& context) const {
    DL_ASSIGN_OR_RETURN(const launch::Target target, TargetOf(settings.master));
    const bool standing = target.is_standing();
    bool answers = true;
    for (;; launch::Pause(std::chrono::seconds(1))) {
      const StatusOr<Shown> shown = Show(session);
      if (absl::IsUnavailable(shown.status()) || absl::IsDeadlineExceeded(shown.status())) {
        if (!standing) {
          session = {};
          DL_ASSIGN_OR_RETURN(session, OpenSession(settings, kSessionToRead));
        } else if (std::exchange(answers, false)) {
          context.err << "the master does not answer, trying on: " << shown.status().message()
                      << std::endl;
        }
        continue;
      }
      DL_RETURN_IF_ERROR(shown.status());
      if (!std::exchange(answers, true)) context.err << "the master answers again" << std::endl;
      if (context.out_on_terminal)
        (context.screen == nullptr ? context.out : *context.screen) << kClearScreen;
      context.out << shown->text;
      // If this command opened the data folder itself, nothing changes any more.
      const bool last = shown->ended || !session.is_remote();
      if (!last && !json_ && !context.out_on_terminal) context.out << "\n";
      context.out << std::flush;
      if (last || !context.out) return kSuccess;
    }
  }

  StatusOr<Shown> Show(Session& session) const {
    const int64_t max_age_ms = watch_ ? kWatchedAgeMs : 0;
    if (!job_.empty()) {
      DL_ASSIGN_OR_RETURN(Json job, QueryJob(session.client(), job_, max_age_ms));
      MarkInterrupted(session, job);
      return Shown{json_ ? job.dump() + "\n" : JobDetails(job), HasEnded(job)};
    }
    DL_ASSIGN_OR_RETURN(Json cluster,
                        QueryJson(session.client(), rpc::QueryKind::kCluster, "", max_age_ms));
    DL_ASSIGN_OR_RETURN(Json jobs, launch::AllJobs(session.client(), max_age_ms));
    for (Json& job : jobs) MarkInterrupted(session, job);
    if (json_) {
      cluster["jobs"] = jobs;
      return Shown{cluster.dump() + "\n"};
    }
    const int64_t queued = IntegerAt(cluster, "jobs_queued");
    std::string text = absl::StrCat(session.is_remote() ? "master " + session.target.ToString()
                                                        : "data folder " + session.data_dir,
                                    ", start ", IntegerAt(cluster, "term"), ", ", queued,
                                    queued == 1 ? " job queued\n\n" : " jobs queued\n\n");
    // A command that only reads starts no executors in a data folder.
    if (session.is_remote())
      absl::StrAppend(&text, ExecutorTable(cluster, long_ ? Contracts::kWhole : Contracts::kIsa),
                      "\n");
    return Shown{absl::StrCat(text, JobTable(jobs))};
  }

  ClusterFlags cluster_;
  std::string job_;
  bool json_ = false, watch_ = false, long_ = false;
};

class ListCommand final : public Command {
 public:
  std::string_view name() const override { return "list"; }
  std::string_view json_lines() const override { return "Job"; }
  std::string_view summary() const override { return "List the jobs of a cluster"; }
  std::string_view examples() const override {
    return "  dl-submit list\n  dl-submit list --master dl://127.0.0.1:7077 -q";
  }
  void Declare(Flags& flags) override {
    cluster_.Declare(flags);
    flags.Text("--owner", "NAME", owner_, "List only jobs of this owner");
    flags.List("--job-label", "KEY=VALUE", labels_,
               "List only jobs with this label. If repeated, a job must have all of the labels.");
    flags.Switch("-q,--quiet", quiet_, "Print only ids");
    flags.Switch("--json", json_, "Print one JSON object per line");
  }
  StatusOr<int> Run(Context& context) override {
    DL_ASSIGN_OR_RETURN(Settings settings, cluster_.Resolve(context));
    DL_RETURN_IF_ERROR(CheckQuietOrJson(quiet_, json_));
    DL_RETURN_IF_ERROR(CheckLabelFlags(labels_, "--job-label"));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kSessionToRead));
    DL_ASSIGN_OR_RETURN(const Json all, launch::AllJobs(session.client()));
    Json jobs = Json::array();
    std::copy_if(all.begin(), all.end(), std::back_inserter(jobs),
                 [this](const Json& job) { return IsWanted(job); });
    for (Json& job : jobs) MarkInterrupted(session, job);
    if (!json_ && !quiet_) context.out << JobTable(jobs);
    for (const Json& job : jobs) {
      if (json_) context.out << job.dump() << "\n";
      if (quiet_ && !json_) context.out << TextAt(job, "job") << "\n";
    }
    context.out << std::flush;
    return kSuccess;
  }

 private:
  bool IsWanted(const Json& job) const {
    if (!owner_.empty() && TextAt(job, "owner") != owner_) return false;
    const Json* scheduling = Member(job, "scheduling");
    const Json* has = scheduling == nullptr ? nullptr : Member(*scheduling, "labels");
    return std::all_of(labels_.begin(), labels_.end(), [&](const std::string& label) {
      return has != nullptr && std::find(has->begin(), has->end(), Json(label)) != has->end();
    });
  }

  ClusterFlags cluster_;
  std::string owner_;
  std::vector<std::string> labels_;
  bool quiet_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeStatus() { return std::make_unique<StatusCommand>(); }
std::unique_ptr<Command> MakeList() { return std::make_unique<ListCommand>(); }

}  // namespace dl::cli
