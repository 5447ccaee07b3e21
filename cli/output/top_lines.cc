#include "cli/output/top_lines.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/json.h"
#include "base/printable.h"
#include "cli/output/json_fields.h"
#include "cli/output/loss_text.h"
#include "cli/output/progress_bar.h"
#include "cli/output/table.h"
#include "web/documents/reason_text.h"

namespace dl::cli {
namespace {

constexpr size_t kFrame = 6;  // title, two headings, two empty lines, the note

// 0: computes, 1: waits, 2: stands until a user acts, 3: has ended.
int ActivityOf(const Json& job) {
  const std::string state = TextAt(job, "state");
  if (state == "QUEUED" || state == "WAITING") return 1;
  if (state == "PAUSED" || state == "INTERRUPTED") return 2;
  const bool ended =
      state == "SUCCEEDED" || state == "FAILED" || state == "CANCELLED" || state == "REJECTED";
  return ended ? 3 : 0;
}

std::vector<const Json*> SortedJobs(const Json& jobs, JobOrder order) {
  std::vector<const Json*> sorted;
  for (const Json& job : jobs) sorted.push_back(&job);
  const auto before = [order](const Json* a, const Json* b) {
    if (order == JobOrder::kName) return TextAt(*a, "job") < TextAt(*b, "job");
    if (const int first = ActivityOf(*a), second = ActivityOf(*b); first != second)
      return first < second;
    if (order == JobOrder::kSpeed)
      return NumberAt(*a, "examples_per_second") > NumberAt(*b, "examples_per_second");
    return IntegerAt(*a, "submitted_unix_ms") > IntegerAt(*b, "submitted_unix_ms");
  };
  std::stable_sort(sorted.begin(), sorted.end(), before);
  return sorted;
}

// The units that an executor computes.
struct Load {
  int64_t units = 0;
  std::set<std::string> jobs;
};

std::map<std::string, Load> LoadsOf(const Json& jobs) {
  std::map<std::string, Load> loads;
  for (const Json& job : jobs) {
    const Json* units = Member(job, "units");
    if (units == nullptr) continue;
    for (const Json& unit : *units) {
      const Json* leased = Member(unit, "leased_to");
      if (leased == nullptr || !leased->is_array()) continue;
      for (const Json& executor : *leased) {
        if (!executor.is_string()) continue;
        Load& load = loads[executor.get<std::string>()];
        ++load.units;
        load.jobs.insert(TextAt(job, "job"));
      }
    }
  }
  return loads;
}

std::string TroubleOf(const Json& executor) {
  if (FlagAt(executor, "quarantined")) return "quarantined";
  if (FlagAt(executor, "draining")) return "leaves";
  return FlagAt(executor, "backed_off") ? "backed off" : "";
}

struct Row {
  std::vector<std::string> cells;
  bool is_trouble = false;
};

std::vector<Row> ExecutorRows(const Json& cluster, const Json& jobs) {
  std::vector<Row> rows = {{{"EXECUTOR", "SLOTS", "UNITS", "HEARD", "STATE", "JOBS"}}};
  const std::map<std::string, Load> loads = LoadsOf(jobs);
  const Json* executors = Member(cluster, "executors");
  if (executors == nullptr) return rows;
  for (const Json& executor : *executors) {
    const std::string name = TextAt(executor, "executor"), trouble = TroubleOf(executor);
    const auto load = loads.find(name);
    const Load of_executor = load == loads.end() ? Load() : load->second;
    rows.push_back(
        {{name, absl::StrCat(IntegerAt(executor, "slots")), absl::StrCat(of_executor.units),
          absl::StrFormat("%.1f s ago", NumberAt(executor, "seconds_since_heartbeat")),
          trouble.empty() ? "ready" : trouble, absl::StrJoin(of_executor.jobs, ", ")},
         !trouble.empty()});
  }
  // Executors with a trouble first, then by name.
  std::stable_sort(rows.begin() + 1, rows.end(), [](const Row& a, const Row& b) {
    return std::pair(!a.is_trouble, a.cells[0]) < std::pair(!b.is_trouble, b.cells[0]);
  });
  return rows;
}

std::string LossOf(const Json& job) {
  const Json* metrics = Member(job, "metrics");
  const Json* train = metrics == nullptr ? nullptr : Member(*metrics, "train");
  const Json* loss = train == nullptr ? nullptr : Member(*train, "loss");
  return loss == nullptr || !loss->is_number() ? "" : LossText(loss->get<double>(), 4);
}

std::vector<Row> JobRows(const Json& jobs, JobOrder order) {
  std::vector<Row> rows = {
      {{"JOB", "STATE", "DONE", "ROUND", "LOSS", "EX/S", "TIME", "LEFT", "WHY"}}};
  for (const Json* job : SortedJobs(jobs, order)) {
    JobProgress progress;
    progress.round = IntegerAt(*job, "rounds");
    progress.rounds = IntegerAt(*job, "rounds_total");
    progress.examples = IntegerAt(*job, "examples");
    progress.examples_per_second = NumberAt(*job, "examples_per_second");
    const bool computes = ActivityOf(*job) == 0;
    const auto left = computes ? progress.SecondsLeft() : std::nullopt;
    const std::string state = TextAt(*job, "state");
    rows.push_back(
        {{TextAt(*job, "job"), state,
          progress.rounds == 0 ? "" : absl::StrCat(100 * progress.round / progress.rounds, " %"),
          absl::StrCat(progress.round, "/", progress.rounds), LossOf(*job),
          computes ? absl::StrFormat("%.0f", progress.examples_per_second) : "",
          FormatSeconds(NumberAt(*job, "wall_seconds")), left ? FormatSeconds(*left) : "",
          web::ReasonText(TextAt(*job, "reason"))},
         state == "FAILED" || state == "REJECTED"});
  }
  return rows;
}

// Adds the table. With less than all rows, the last of `limit` rows says how many are missing.
void AddTable(std::vector<Row> rows, size_t limit, const char* what, const TopView& view,
              std::vector<ScreenLine>& lines) {
  const size_t count = rows.size() - 1;
  const size_t shown = count <= limit ? count : limit == 0 ? 0 : limit - 1;
  rows.resize(shown + 1);
  std::vector<std::vector<std::string>> cells;
  for (Row& row : rows) cells.push_back(std::move(row.cells));
  const std::string table = view.columns == 0 ? RenderTable(std::move(cells))
                                              : RenderTableWithin(std::move(cells), view.columns);
  std::vector<std::string> texts = absl::StrSplit(table, '\n');
  for (size_t i = 0; i < rows.size(); ++i) {
    lines.push_back({.text = std::move(texts[i]),
                     .style = i == 0               ? LineStyle::kHeading
                              : rows[i].is_trouble ? LineStyle::kTrouble
                                                   : LineStyle::kPlain});
  }
  if (shown < count && limit > 0)
    lines.push_back({.text = absl::StrCat("... ", count - shown, " more ", what)});
}

std::string TitleOf(const Json& cluster, const Json& jobs, const std::string& where) {
  int64_t slots = 0, executors = 0;
  if (const Json* all = Member(cluster, "executors")) {
    for (const Json& executor : *all) {
      ++executors;
      slots += IntegerAt(executor, "slots");
    }
  }
  int64_t counts[4] = {};
  for (const Json& job : jobs) ++counts[ActivityOf(job)];
  static constexpr const char* kStates[] = {"running", "waiting", "paused", "ended"};
  std::vector<std::string> parts;
  for (size_t i = 0; i < std::size(kStates); ++i) {
    if (counts[i] > 0) parts.push_back(absl::StrCat(counts[i], " ", kStates[i]));
  }
  return PrintableName(absl::StrCat(
      parts.empty() ? "no jobs" : "jobs: " + absl::StrJoin(parts, ", "),
      "   executors: ", executors, " with ", slots, slots == 1 ? " slot   " : " slots   ", where));
}

}  // namespace

std::vector<ScreenLine> TopLines(const Json& cluster, const Json& jobs, const TopView& view) {
  std::vector<Row> executors = ExecutorRows(cluster, jobs), rows = JobRows(jobs, view.order);
  size_t executor_limit = executors.size() - 1, job_limit = rows.size() - 1;
  if (view.lines > 0 && executor_limit + job_limit + kFrame > view.lines) {
    const size_t room = view.lines - std::min(view.lines, kFrame);
    executor_limit = std::min(executor_limit, std::max(room / 3, room - std::min(room, job_limit)));
    job_limit = std::min(job_limit, room - std::min(room, executor_limit));
  }
  std::vector<ScreenLine> lines = {
      {.text = TitleOf(cluster, jobs, view.where), .style = LineStyle::kTitle}, {}};
  AddTable(std::move(executors), executor_limit, "executors", view, lines);
  lines.emplace_back();
  AddTable(std::move(rows), job_limit, "jobs", view, lines);
  if (view.note.empty()) return lines;
  if (view.lines > 0) lines.resize(std::max(lines.size(), view.lines - 1));
  lines.push_back({.text = view.note});
  return lines;
}

}  // namespace dl::cli
