// status and list: what a cluster and its jobs are doing.
#include <algorithm>
#include <chrono>
#include <iterator>
#include <ostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/cluster_flags.h"
#include "cli/commands/commands.h"
#include "cli/exit_code.h"
#include "cli/follow.h"
#include "cli/job_query.h"
#include "cli/json_fields.h"
#include "cli/scheduling_flags.h"
#include "cli/session.h"
#include "cli/table.h"
#include "launch/all_jobs.h"
#include "launch/pause.h"

namespace dl::cli {
namespace {

std::string Share(int64_t part, int64_t whole) { return absl::StrCat(part, "/", whole); }

std::string Accuracy(const Json& job) {
  const Json* metrics = Member(job, "metrics");
  const Json* test = metrics == nullptr ? nullptr : Member(*metrics, "test");
  return test == nullptr || Member(*test, "accuracy") == nullptr
             ? "-"
             : absl::StrFormat("%.2f %%", 100 * NumberAt(*test, "accuracy"));
}

std::string JobTable(const Json& jobs) {
  std::vector<std::vector<std::string>> rows = {
      {"JOB", "STATE", "EPOCH", "ROUND", "TEST ACCURACY", "TIME", "WHY"}};
  for (const Json& job : jobs) {
    rows.push_back({TextAt(job, "job"), TextAt(job, "state"),
                    Share(IntegerAt(job, "epochs"), IntegerAt(job, "epochs_total")),
                    Share(IntegerAt(job, "rounds"), IntegerAt(job, "rounds_total")), Accuracy(job),
                    FormatSeconds(NumberAt(job, "wall_seconds")), TextAt(job, "reason")});
  }
  return RenderTable(rows);
}

std::string Joined(const Json& names) {
  std::string text;
  for (const Json& name : names) {
    if (name.is_string()) absl::StrAppend(&text, text.empty() ? "" : ", ", name.get<std::string>());
  }
  return text;
}

// Those that the executor offers.
std::string ContractsOf(const Json& executor) {
  std::string text;
  const Json* offers = Member(executor, "offers");
  if (offers == nullptr || !offers->is_array()) return text;
  for (const Json& offer : *offers)
    absl::StrAppend(&text, text.empty() ? "" : " or ", TextAt(offer, "kernel_contract"));
  return text;
}

std::string LabelsOf(const Json& executor) {
  const Json* labels = Member(executor, "labels");
  return labels == nullptr ? "" : Joined(*labels);
}

std::string ExecutorTable(const Json& cluster) {
  const Json* executors = Member(cluster, "executors");
  std::vector<std::vector<std::string>> rows = {
      {"EXECUTOR", "SLOTS", "HEARD", "CONTRACT", "LABELS", ""}};
  if (executors != nullptr) {
    for (const Json& executor : *executors) {
      rows.push_back({TextAt(executor, "executor"), absl::StrCat(IntegerAt(executor, "slots")),
                      absl::StrFormat("%.1f s ago", NumberAt(executor, "seconds_since_heartbeat")),
                      ContractsOf(executor), LabelsOf(executor),
                      FlagAt(executor, "quarantined") ? "quarantined"
                      : FlagAt(executor, "draining")  ? "leaves"
                      : FlagAt(executor, "set_aside") ? "brings nothing"
                                                      : ""});
    }
  }
  return RenderTable(rows);
}

// Rounded up: what does not fit shows as more than what there is.
int64_t Mebibytes(int64_t bytes) { return (bytes + (1 << 20) - 1) >> 20; }

// How it shares the cluster with others; empty where nobody said anything.
std::string SharingOf(const Json& job) {
  std::string text;
  const auto add = [&](const char* label, const std::string& value) {
    if (!value.empty()) absl::StrAppend(&text, label, value, "\n");
  };
  if (const Json* queue = Member(job, "queue"); queue != nullptr && queue->is_object()) {
    const Json* ahead = Member(*queue, "ahead");
    const std::string behind = ahead == nullptr ? "" : Joined(*ahead);
    add("in the queue  ",
        absl::StrCat(IntegerAt(*queue, "position"), ".", behind.empty() ? "" : " behind ", behind));
  }
  const Json* scheduling = Member(job, "scheduling");
  if (scheduling == nullptr) return text;
  const auto number = [&](const char* key) {
    const int64_t value = IntegerAt(*scheduling, key);
    return value == 0 ? "" : absl::StrCat(value);
  };
  const auto list = [&](const char* key) {
    const Json* values = Member(*scheduling, key);
    return values == nullptr ? "" : Joined(*values);
  };
  add("priority      ", number("priority"));
  add("after         ", TextAt(*scheduling, "after"));
  add("executors     ",
      number("max_executors").empty() ? "" : "at most " + number("max_executors"));
  add("labels        ", list("labels"));
  add("needs         ", list("needs"));
  return text;
}

// What went wrong and was mended, and who computes nothing of the job; empty where all is well.
std::string Troubles(const Json& job) {
  std::string text;
  if (const int64_t times = IntegerAt(job, "rollbacks"); times > 0)
    absl::StrAppend(&text, "went back     ", times, " times behind what nobody confirmed\n");
  if (const int64_t times = IntegerAt(job, "standstills"); times > 0)
    absl::StrAppend(&text, "stood still   ", times, " units, given to others\n");
  if (const Json* retries = Member(job, "retries")) {
    const int64_t network = IntegerAt(*retries, "network"), master = IntegerAt(*retries, "master");
    if (network + master > 0) {
      absl::StrAppend(&text, "tried again   ", network, " units for the network, ", master,
                      " for the master\n");
    }
  }
  if (const Json* excluded = Member(job, "excluded"); excluded != nullptr && !excluded->empty()) {
    absl::StrAppend(&text, "no units for  ", Joined(*excluded),
                    " (another kernel contract than the job's)\n");
  }
  if (const Json* small = Member(job, "excluded_for_memory"); small != nullptr && !small->empty()) {
    absl::StrAppend(&text, "no units for  ", Joined(*small), " (a unit takes up to ",
                    Mebibytes(IntegerAt(job, "unit_memory_bytes")),
                    " MiB, more than their memory holds)\n");
  }
  if (const Json* other = Member(job, "excluded_for_labels"); other != nullptr && !other->empty())
    absl::StrAppend(&text, "no units for  ", Joined(*other), " (without labels that it needs)\n");
  return text;
}

std::string JobDetails(const Json& job) {
  std::string text = JobTable(Json::array({job}));
  if (const std::string message = TextAt(job, "message"); !message.empty())
    absl::StrAppend(&text, "\n", message, "\n");
  absl::StrAppend(&text, "\n");
  // A job that has not begun lacks most of it.
  for (const auto& [label, key] :
       {std::pair("owner         ", "owner"), std::pair("state_sha256  ", "state_sha256"),
        std::pair("checkpoint    ", "checkpoint"),
        std::pair("contract      ", "kernel_contract")}) {
    if (const std::string value = TextAt(job, key); !value.empty())
      absl::StrAppend(&text, label, value, "\n");
  }
  // The counts live in the master's memory.
  absl::StrAppend(&text, "attempt       ", IntegerAt(job, "attempt"), "\nworkers       ",
                  IntegerAt(job, "workers"), "\nexamples/s    ",
                  absl::StrFormat("%.0f", NumberAt(job, "examples_per_second")), "\nleases        ",
                  IntegerAt(job, "expired_leases"), " expired, ", IntegerAt(job, "second_leases"),
                  " second, ", IntegerAt(job, "duplicate_results"), " duplicate results\n",
                  "replayed      ", IntegerAt(job, "replayed_rounds"),
                  " rounds, since this master started, as the leases\n");
  if (const Json* traffic = Member(job, "traffic")) {
    const auto kib = [&](const char* key) { return IntegerAt(*traffic, key) / 1024; };
    if (kib("bytes_per_round") > 0) {
      absl::StrAppend(&text, "travels       ", kib("bytes_per_round"), " KiB a round; fetched ",
                      kib("fetched_bytes"), ", contributed ", kib("contributed_bytes"),
                      " KiB so far\n");
    }
  }
  text += SharingOf(job);
  text += Troubles(job);
  const Json* units = Member(job, "units");
  if (units == nullptr || units->empty()) return text;
  std::vector<std::vector<std::string>> rows = {
      {"UNIT", "KIND", "ROUND", "STEPS", "DONE", "LEASED TO"}};
  for (const Json& unit : *units) {
    const Json* leases = Member(unit, "leased_to");
    const std::string leased = leases == nullptr ? "" : Joined(*leases);
    const int64_t steps = IntegerAt(unit, "steps_total");  // 0 until a heartbeat told
    rows.push_back({absl::StrCat(IntegerAt(unit, "index")), TextAt(unit, "kind"),
                    absl::StrCat(IntegerAt(unit, "round")),
                    steps == 0 ? "" : absl::StrCat(IntegerAt(unit, "steps_done"), "/", steps),
                    FlagAt(unit, "settled") ? "yes" : "no", leased});
  }
  return absl::StrCat(text, "\n", RenderTable(rows));
}

// In a data folder that this command opened alone nobody computes: what did not end was
// interrupted.
void NameInterrupted(const Session& session, Json& job) {
  if (session.is_remote() || HasEnded(job)) return;
  job["state"] = "INTERRUPTED";
  job["reason"] = "no_process";
  job["message"] = absl::StrCat("no process computes it; go on with: dl-submit resume",
                                session.next.run_flags, " ", TextAt(job, "job"));
}

class StatusCommand final : public Command {
 public:
  std::string_view name() const override { return "status"; }
  std::string_view summary() const override { return "Show the cluster, or one job in detail"; }
  std::string_view examples() const override {
    return "  dl-submit status --master dl://127.0.0.1:7077\n  dl-submit status --master "
           "dl://127.0.0.1:7077 lenet5-1 --json\n  dl-submit status --master "
           "dl://127.0.0.1:7077 --watch";
  }
  void Declare(Flags& flags) override {
    flags.Positional("JOB", job_, "A job's id", Flags::Need::kOptional);
    cluster_.Declare(flags);
    flags.Switch("--json", json_, "Print JSON");
    flags.Switch("--watch", watch_, "Show it anew every second, until the job ends or Ctrl-C");
  }
  std::string job() const override { return job_; }
  StatusOr<int> Run(Context& context) override {
    DL_ASSIGN_OR_RETURN(Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kToAsk));
    if (watch_) return Watch(settings, std::move(session), context);
    DL_ASSIGN_OR_RETURN(const Shown shown, Show(session));
    context.out << shown.text << std::flush;
    return kSuccess;
  }

 private:
  static constexpr std::string_view kClearScreen = "\x1b[H\x1b[2J";
  // Who looks at a page that goes on holds up neither the master nor, while its disk is slow,
  // themselves.
  static constexpr int64_t kWatchedAgeMs = 10'000;

  struct Shown {
    std::string text;
    bool ended = false;
  };

  // A standing cluster's master that does not answer is waited for. Where a local one is gone, so
  // is the command that had it: its folder tells the rest.
  StatusOr<int> Watch(const Settings& settings, Session session, Context& context) const {
    DL_ASSIGN_OR_RETURN(const launch::Target target, TargetOf(settings.master));
    const bool standing = target.kind == launch::Target::Kind::kRemote;
    bool answers = true;
    for (;; launch::Pause(std::chrono::seconds(1))) {
      const StatusOr<Shown> shown = Show(session);
      if (absl::IsUnavailable(shown.status()) || absl::IsDeadlineExceeded(shown.status())) {
        if (!standing) {
          session = {};
          DL_ASSIGN_OR_RETURN(session, OpenSession(settings, kToAsk));
        } else if (std::exchange(answers, false)) {
          context.err << "the master does not answer, trying on: " << shown.status().message()
                      << std::endl;
        }
        continue;
      }
      DL_RETURN_IF_ERROR(shown.status());
      if (!std::exchange(answers, true)) context.err << "the master answers again" << std::endl;
      if (context.out_on_terminal) context.out << kClearScreen;
      context.out << shown->text;
      // In a data folder that this command opened alone nothing changes.
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
      NameInterrupted(session, job);
      return Shown{json_ ? job.dump() + "\n" : JobDetails(job), HasEnded(job)};
    }
    DL_ASSIGN_OR_RETURN(Json cluster, QueryJson(session.client(), "cluster", "", max_age_ms));
    DL_ASSIGN_OR_RETURN(Json jobs, launch::AllJobs(session.client(), max_age_ms));
    for (Json& job : jobs) NameInterrupted(session, job);
    if (json_) {
      cluster["jobs"] = jobs;
      return Shown{cluster.dump() + "\n"};
    }
    const int64_t queued = IntegerAt(cluster, "jobs_queued");
    std::string text = absl::StrCat(session.is_remote() ? "master " + session.target.ToString()
                                                        : "data folder " + session.data_dir,
                                    ", start ", IntegerAt(cluster, "term"), ", ", queued,
                                    queued == 1 ? " job queued\n\n" : " jobs queued\n\n");
    // A command that only asks starts no executors in a data folder.
    if (session.is_remote()) absl::StrAppend(&text, ExecutorTable(cluster), "\n");
    return Shown{absl::StrCat(text, JobTable(jobs))};
  }

  ClusterFlags cluster_;
  std::string job_;
  bool json_ = false, watch_ = false;
};

class ListCommand final : public Command {
 public:
  std::string_view name() const override { return "list"; }
  std::string_view summary() const override { return "List the jobs of a cluster"; }
  std::string_view examples() const override {
    return "  dl-submit list\n  dl-submit list --master dl://127.0.0.1:7077 -q";
  }
  void Declare(Flags& flags) override {
    cluster_.Declare(flags);
    flags.Text("--owner", "NAME", owner_, "Those of one owner alone");
    flags.List("--label", "KEY=VALUE", labels_,
               "Those with that label alone; several times: with all of them");
    flags.Switch("-q,--quiet", quiet_, "Print ids only");
    flags.Switch("--json", json_, "Print one JSON object a line");
  }
  StatusOr<int> Run(Context& context) override {
    DL_ASSIGN_OR_RETURN(Settings settings, cluster_.Resolve(context));
    DL_RETURN_IF_ERROR(CheckQuietOrJson(quiet_, json_));
    DL_RETURN_IF_ERROR(CheckLabelFlags(labels_, "--label"));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kToAsk));
    DL_ASSIGN_OR_RETURN(const Json all, launch::AllJobs(session.client()));
    Json jobs = Json::array();
    std::copy_if(all.begin(), all.end(), std::back_inserter(jobs),
                 [this](const Json& job) { return IsWanted(job); });
    for (Json& job : jobs) NameInterrupted(session, job);
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
