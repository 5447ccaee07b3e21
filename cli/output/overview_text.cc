#include "cli/output/overview_text.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/output/json_fields.h"
#include "cli/output/progress_bar.h"
#include "cli/output/table.h"
#include "web/documents/reason_text.h"

namespace dl::cli {
namespace {

std::string Share(int64_t part, int64_t whole) { return absl::StrCat(part, "/", whole); }

// Returns the best value of early stopping's metric, with its name. Empty if the job has none.
std::string EarlyStoppingText(const Json& job) {
  const Json* stopping = Member(job, "early_stopping");
  if (stopping == nullptr) return "";
  const std::string metric = TextAt(*stopping, "metric");
  const double best = NumberAt(*stopping, "best");
  return metric == "accuracy" ? absl::StrFormat("best accuracy %.2f%%", 100 * best)
                              : absl::StrFormat("best %s %.4g", metric, best);
}

// Returns the main metric of the job with its name: that of early stopping, else the accuracy on
// the test set, or the loss if labels are not classes. Without a test set, the metric of training
// is used.
std::string MetricOf(const Json& job) {
  if (std::string text = EarlyStoppingText(job); !text.empty()) return text;
  const Json* metrics = Member(job, "metrics");
  for (const char* split : {"test", "train"}) {
    const Json* of_split = metrics == nullptr ? nullptr : Member(*metrics, split);
    if (of_split == nullptr) continue;
    const char* prefix = split == std::string_view("train") ? "train " : "";
    if (Member(*of_split, "accuracy") != nullptr)
      return absl::StrFormat("%saccuracy %.2f%%", prefix, 100 * NumberAt(*of_split, "accuracy"));
    if (const Json* loss = Member(*of_split, "loss"); loss != nullptr && loss->is_number())
      return absl::StrFormat("%sloss %.4g", prefix, loss->get<double>());
  }
  return "-";
}

std::string Joined(const Json& names) {
  std::string text;
  for (const Json& name : names) {
    if (name.is_string()) absl::StrAppend(&text, text.empty() ? "" : ", ", name.get<std::string>());
  }
  return text;
}

// Returns the kernel contracts that the executor offers, or their instruction sets. Contracts of
// portable kernels have none.
std::string ContractsOf(const Json& executor, Contracts shown) {
  std::string text;
  const Json* offers = Member(executor, "offers");
  if (offers == nullptr || !offers->is_array()) return text;
  const char* key = shown == Contracts::kWhole ? "kernel_contract" : "isa";
  for (const Json& offer : *offers) {
    const std::string name = TextAt(offer, key);
    if (!name.empty()) absl::StrAppend(&text, text.empty() ? "" : " or ", name);
  }
  return text;
}

std::string LabelsOf(const Json& executor) {
  const Json* labels = Member(executor, "labels");
  return labels == nullptr ? "" : Joined(*labels);
}

std::string ConditionOf(const Json& executor) {
  return FlagAt(executor, "quarantined")  ? "quarantined"
         : FlagAt(executor, "draining")   ? "leaves"
         : FlagAt(executor, "backed_off") ? "backed off"
                                          : "";
}

// Returns a line for each executor that is backed off.
std::string BackoffLines(const Json& executors) {
  std::string text;
  for (const Json& executor : executors) {
    const std::string why = TextAt(executor, "backoff_reason");
    if (why.empty()) continue;
    absl::StrAppend(&text, TextAt(executor, "executor"),
                    " is backed off, others are asked first: ", why, "\n");
  }
  return text;
}

// Rounds up, so that a size that does not fit is shown as larger than the available size.
int64_t Mebibytes(int64_t bytes) { return (bytes + (1 << 20) - 1) >> 20; }

// Returns how the job shares the cluster with others; empty if nothing was specified.
std::string SharingOf(const Json& job) {
  std::string text;
  const auto add = [&](const char* label, const std::string& value) {
    if (!value.empty()) absl::StrAppend(&text, label, value, "\n");
  };
  if (const Json* queue = Member(job, "queue"); queue != nullptr && queue->is_object()) {
    const Json* ahead = Member(*queue, "ahead");
    const std::string before = ahead == nullptr ? "" : Joined(*ahead);
    add("in the queue  ",
        absl::StrCat(IntegerAt(*queue, "position"), ".", before.empty() ? "" : " after ", before));
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

// Returns problems that were resolved, and executors that compute nothing of the job; empty if
// there are none.
std::string Troubles(const Json& job) {
  std::string text;
  if (const int64_t times = IntegerAt(job, "rollbacks"); times > 0)
    absl::StrAppend(&text, "went back     ", times, " times before unconfirmed rounds\n");
  if (const int64_t times = IntegerAt(job, "stalls"); times > 0)
    absl::StrAppend(&text, "stood still   ", times, " units, given to others\n");
  if (const Json* killed = Member(job, "killed"); killed != nullptr) {
    for (const auto& [executor, times] : killed->items()) {
      absl::StrAppend(&text, "killed        ", executor, ", ", times.dump(),
                      times == 1 ? " time" : " times in a row", " while it computed this job\n");
    }
  }
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

// Returns a table of calls that executors repeated; empty if there are none.
std::string RetriesTable(const Json& executors) {
  std::vector<std::vector<std::string>> rows = {{"EXECUTOR", "TRIED AGAIN FOR"}};
  for (const Json& executor : executors) {
    const Json* retries = Member(executor, "retries");
    if (retries == nullptr || !retries->is_object()) continue;
    std::string text;
    for (const auto& [what, times] : retries->items()) {
      if (const int64_t count = IntegerAt(*retries, what.c_str()); count > 0)
        absl::StrAppend(&text, text.empty() ? "" : ", ", what, " (", count, ")");
    }
    if (!text.empty()) rows.push_back({TextAt(executor, "executor"), text});
  }
  return rows.size() == 1 ? "" : "\n" + RenderTableWithNotes(rows);
}

}  // namespace

std::string JobTable(const Json& jobs) {
  std::vector<std::vector<std::string>> rows = {
      {"JOB", "STATE", "EPOCH", "ROUND", "METRIC", "TIME", "WHY"}};
  for (const Json& job : jobs) {
    rows.push_back({TextAt(job, "job"), TextAt(job, "state"),
                    Share(IntegerAt(job, "epochs"), IntegerAt(job, "epochs_total")),
                    Share(IntegerAt(job, "rounds"), IntegerAt(job, "rounds_total")), MetricOf(job),
                    FormatSeconds(NumberAt(job, "wall_seconds")),
                    web::ReasonText(TextAt(job, "reason"))});
  }
  return RenderTableWithNotes(rows);
}

std::string ExecutorTable(const Json& cluster, Contracts shown) {
  const Json* executors = Member(cluster, "executors");
  std::vector<std::vector<std::string>> rows = {{"EXECUTOR", "SLOTS", "HEARD",
                                                 shown == Contracts::kWhole ? "CONTRACT" : "ISA",
                                                 "STATE", "LABELS"}};
  if (executors != nullptr) {
    for (const Json& executor : *executors) {
      rows.push_back({TextAt(executor, "executor"), absl::StrCat(IntegerAt(executor, "slots")),
                      absl::StrFormat("%.1f s ago", NumberAt(executor, "seconds_since_heartbeat")),
                      ContractsOf(executor, shown), ConditionOf(executor), LabelsOf(executor)});
    }
  }
  if (executors == nullptr) return RenderTableWithNotes(rows);
  return RenderTableWithNotes(rows) + BackoffLines(*executors) + RetriesTable(*executors);
}

std::string JobDetails(const Json& job) {
  std::string text = JobTable(Json::array({job}));
  if (const std::string message = TextAt(job, "message"); !message.empty())
    absl::StrAppend(&text, "\n", message, "\n");
  if (const std::string remedy = TextAt(job, "remedy"); !remedy.empty())
    absl::StrAppend(&text, "\n", remedy, "\n");
  absl::StrAppend(&text, "\n");
  // A job that has not begun lacks most of these values.
  for (const auto& [label, key] :
       {std::pair("owner         ", "owner"), std::pair("state_sha256  ", "state_sha256"),
        std::pair("checkpoint    ", "checkpoint"),
        std::pair("contract      ", "kernel_contract")}) {
    if (const std::string value = TextAt(job, key); !value.empty())
      absl::StrAppend(&text, label, value, "\n");
  }
  // These counts are only in the memory of the master.
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
                      kib("fetched_bytes"), ", contributed ", kib("contributed_bytes"), " KiB\n");
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
    const int64_t steps = IntegerAt(unit, "steps_total");  // 0 before a heartbeat reported it
    rows.push_back({absl::StrCat(IntegerAt(unit, "index")), TextAt(unit, "kind"),
                    absl::StrCat(IntegerAt(unit, "round")),
                    steps == 0 ? "" : absl::StrCat(IntegerAt(unit, "steps_done"), "/", steps),
                    FlagAt(unit, "settled") ? "yes" : "no", leased});
  }
  return absl::StrCat(text, "\n", RenderTableWithNotes(rows));
}

}  // namespace dl::cli
