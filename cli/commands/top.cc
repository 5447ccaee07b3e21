// The command `top`.
#include <chrono>
#include <optional>
#include <ostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/clusters/cluster_flags.h"
#include "cli/command_session.h"
#include "cli/commands/commands.h"
#include "cli/exit_code.h"
#include "cli/jobs/interrupted_job.h"
#include "cli/jobs/job_query.h"
#include "cli/output/top_lines.h"
#include "cli/terminal/full_screen.h"
#include "launch/all_jobs.h"

namespace dl::cli {
namespace {

class TopCommand final : public Command {
 public:
  std::string_view name() const override { return "top"; }
  std::string_view json_lines() const override { return ""; }
  std::string_view summary() const override {
    return "Show executors and jobs on the whole screen, refreshed until q is pressed";
  }
  std::string_view examples() const override {
    return "  dl-submit top\n"
           "  dl-submit top --master dl://127.0.0.1:7077 --sort speed --interval 5\n"
           "Keys: q ends, s changes the order of the jobs. Without a terminal as standard output, "
           "the tables are printed once.";
  }
  void Declare(Flags& flags) override {
    cluster_.Declare(flags);
    flags.Choice("--sort", "ORDER", sort_, {"activity", "speed", "name"},
                 "Order of jobs: activity, speed or name. Default: activity, with jobs that run "
                 "first.");
    flags.Integer("--interval", "SECONDS", interval_s_, "Time between refreshes. Default: 1.", 1,
                  3600);
    flags.AddForeignFlag("--json", "Use dl-submit status --json");
  }

  StatusOr<int> Run(Context& context) override {
    order_ = sort_ == "speed"  ? JobOrder::kSpeed
             : sort_ == "name" ? JobOrder::kName
                               : JobOrder::kActivity;
    DL_ASSIGN_OR_RETURN(const Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kSessionToRead));
    const auto term = context.environment.find("TERM");
    const bool dumb =
        term == context.environment.end() || term->second.empty() || term->second == "dumb";
    // If this command opened the data folder itself, nothing changes any more.
    if (!context.out_on_terminal || dumb || !session.is_remote()) return Print(session, context);
    const auto no_color = context.environment.find("NO_COLOR");
    const bool colored = no_color == context.environment.end() || no_color->second.empty();
    {
      DL_ASSIGN_OR_RETURN(const auto screen, FullScreen::Open(colored ? FullScreen::Colors::kOn
                                                                      : FullScreen::Colors::kOff));
      DL_RETURN_IF_ERROR(Refresh(settings, session, *screen));
    }
    // The master of a local run has ended with its command.
    return session.is_remote() ? kSuccess : Print(session, context);
  }

 private:
  // Age of answers that are accepted. Cached answers neither burden the master nor wait for its
  // disk.
  static constexpr int64_t kAcceptedAgeMs = 10'000;

  struct Documents {
    Json cluster = Json::object();
    Json jobs = Json::array();
  };

  static StatusOr<Documents> Read(Session& session) {
    Documents documents;
    DL_ASSIGN_OR_RETURN(documents.cluster,
                        QueryJson(session.client(), rpc::QueryKind::kCluster, "", kAcceptedAgeMs));
    DL_ASSIGN_OR_RETURN(documents.jobs, launch::AllJobs(session.client(), kAcceptedAgeMs));
    for (Json& job : documents.jobs) MarkInterrupted(session, job);
    return documents;
  }

  static std::string WhereOf(const Session& session) {
    return session.is_remote() ? session.target.ToString() : "data folder " + session.data_dir;
  }

  StatusOr<int> Print(Session& session, Context& context) const {
    DL_ASSIGN_OR_RETURN(const Documents documents, Read(session));
    for (const ScreenLine& line :
         TopLines(documents.cluster, documents.jobs, {.where = WhereOf(session), .order = order_}))
      context.out << line.text << "\n";
    context.out << std::flush;
    return kSuccess;
  }

  // Returns after q, or when a local master has ended. If the master of a standing cluster does not
  // answer, keeps the last documents on the screen and tries again.
  Status Refresh(const Settings& settings, Session& session, const FullScreen& screen) {
    DL_ASSIGN_OR_RETURN(const launch::Target target, TargetOf(settings.master));
    Documents shown;
    std::string trouble;
    for (Instant next = Clock::Real().Now();;) {
      const Instant now = Clock::Real().Now();
      if (now >= next) {
        next = now + std::chrono::seconds(interval_s_);
        StatusOr<Documents> read = Read(session);
        const bool silent =
            absl::IsUnavailable(read.status()) || absl::IsDeadlineExceeded(read.status());
        if (silent && !target.is_standing()) {
          session = {};
          DL_ASSIGN_OR_RETURN(session, OpenSession(settings, kSessionToRead));
          if (!session.is_remote()) return absl::OkStatus();
          continue;
        }
        if (!read.ok() && !silent) return read.status();
        trouble = silent ? "the master does not answer, trying on" : "";
        if (read.ok()) shown = *std::move(read);
      }
      screen.Show(TopLines(shown.cluster, shown.jobs,
                           {.where = WhereOf(session),
                            .order = order_,
                            .lines = screen.size().lines,
                            .columns = screen.size().columns,
                            .note = trouble.empty() ? NoteText() : trouble}));
      const auto key = screen.ReadKey(std::max(Duration::zero(), next - Clock::Real().Now()));
      if (key == 'q') return absl::OkStatus();
      if (key == 's') order_ = NextOrder();
    }
  }

  JobOrder NextOrder() const {
    return order_ == JobOrder::kActivity ? JobOrder::kSpeed
           : order_ == JobOrder::kSpeed  ? JobOrder::kName
                                         : JobOrder::kActivity;
  }
  std::string NoteText() const {
    const char* order = order_ == JobOrder::kActivity ? "activity"
                        : order_ == JobOrder::kSpeed  ? "speed"
                                                      : "name";
    return absl::StrCat("q: end   s: sort (by ", order, ")   every ", interval_s_, " s");
  }

  ClusterFlags cluster_;
  std::string sort_ = "activity";
  JobOrder order_ = JobOrder::kActivity;
  int64_t interval_s_ = 1;
};

}  // namespace

std::unique_ptr<Command> MakeTop() { return std::make_unique<TopCommand>(); }

}  // namespace dl::cli
