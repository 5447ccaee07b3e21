// The command `trace`.
#include <ostream>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "cli/clusters/cluster_flags.h"
#include "cli/command_session.h"
#include "cli/commands/commands.h"
#include "cli/data/data_output.h"
#include "cli/exit_code.h"
#include "cli/jobs/job_query.h"
#include "cli/jobs/series_query.h"
#include "cli/output/timeline_trace.h"

namespace dl::cli {
namespace {

class TraceCommand final : public Command {
 public:
  std::string_view name() const override { return "trace"; }
  std::string_view json_lines() const override { return "TraceFile"; }
  std::string_view summary() const override {
    return "Write the units of a job by executor and time, as a trace for Chrome and Perfetto";
  }
  std::string_view examples() const override {
    return "  dl-submit trace --master dl://127.0.0.1:7077 lenet5-1\n"
           "  dl-submit trace lenet5-1 --rounds 100-200 -o lenet5.json\n\n"
           "Open the file in https://ui.perfetto.dev or chrome://tracing.";
  }
  void Declare(Flags& flags) override {
    flags.Positional("JOB", job_, "Id of the job", Flags::Need::kRequired);
    cluster_.Declare(flags);
    flags.Text("--rounds", "FIRST-LAST", rounds_,
               "Only these rounds. Default: all recorded rounds, at least the newest 20,000. LAST "
               "may be missing.");
    flags.Text("-o,--output", "FILE", output_,
               "Output file; - writes to standard output. Default: JOB-trace.json.");
    flags.Switch("--json", json_, "Print the summary as JSON");
  }
  std::string job() const override { return job_; }

  StatusOr<int> Run(Context& context) override {
    const auto range = ParseRoundRange(rounds_.empty() ? "1-" : rounds_);
    if (!range) {
      return UsageError({.message = absl::StrCat("\"", rounds_, "\" is no range of rounds"),
                         .where = "--rounds",
                         .remedy = "Write FIRST-LAST, FIRST- or one number, from 1"});
    }
    DL_ASSIGN_OR_RETURN(const Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kSessionToRead));
    DL_RETURN_IF_ERROR(QueryJob(session.client(), job_).status());
    if (output_.empty()) output_ = job_ + "-trace.json";
    DL_ASSIGN_OR_RETURN(Page page, PageFrom(session.client(), *range, range->first));
    if (page.json.value("rounds", Json::array()).empty()) {
      return NotFound({.message = absl::StrCat("no unit of ", job_, " is recorded",
                                               rounds_.empty() ? "" : " in these rounds"),
                       .where = job_,
                       .remedy = rounds_.empty() ? "Try again after the first round" : ""});
    }
    TimelineTrace trace(job_);
    const auto write = [&](ByteSink sink) -> Status {
      DL_RETURN_IF_ERROR(sink(trace.Beginning()));
      for (;;) {
        DL_ASSIGN_OR_RETURN(const std::string text, trace.Page(page.json));
        DL_RETURN_IF_ERROR(sink(text));
        if (page.next_first == 0) return sink(TimelineTrace::End());
        DL_ASSIGN_OR_RETURN(page, PageFrom(session.client(), *range, page.next_first));
      }
    };
    DL_RETURN_IF_ERROR(WriteOutput(output_, write, context));
    Print(trace, SummaryStream(output_, context));
    return kSuccess;
  }

 private:
  struct Page {
    Json json;
    int64_t next_first = 0;
  };
  StatusOr<Page> PageFrom(rpc::ClientService& client, const RoundRange& range,
                          int64_t first) const {
    const rpc::QueryRequest request{
        .what = rpc::QueryKind::kTimeline, .job = job_, .first = first, .last = range.last};
    DL_ASSIGN_OR_RETURN(const rpc::QueryReply reply,
                        client.Query(request, limits::kControlDeadline));
    DL_ASSIGN_OR_RETURN(Json json, ParseJson(reply.json, "the master's answer"));
    if (!json.is_object())
      return InvalidArgument({.message = "the master's answer is no timeline", .where = job_});
    return Page{std::move(json), reply.next_first};
  }

  void Print(const TimelineTrace& trace, std::ostream& summary) const {
    if (json_) {
      summary << JsonText({{"job", job_},
                           {"file", output_},
                           {"rounds", trace.rounds()},
                           {"unit_count", trace.units()},
                           {"executor_count", trace.executors()}})
              << std::endl;
      return;
    }
    summary << "wrote " << output_ << ": " << trace.units() << " units of " << trace.rounds()
            << " rounds on " << trace.executors() << " executors; open it in "
            << "https://ui.perfetto.dev or chrome://tracing" << std::endl;
  }

  ClusterFlags cluster_;
  std::string job_, rounds_, output_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeTrace() { return std::make_unique<TraceCommand>(); }

}  // namespace dl::cli
