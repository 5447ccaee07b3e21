#include "cli/sweep/sweep_report.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/output/json_fields.h"
#include "cli/output/table.h"

namespace dl::cli {
namespace {

// Returns the indices of all trials, the best first.
std::vector<size_t> Order(const SweepPlan& plan, const SweepRun& run) {
  std::map<int64_t, std::vector<size_t>> by_end;  // by epochs, negative: the last ones first
  std::vector<std::optional<double>> figures;
  for (size_t i = 0; i < run.trials().size(); ++i) {
    const int64_t stopped = run.halving().stopped_at.empty() ? 0 : run.halving().stopped_at[i];
    const bool failed = stopped == 0 && run.trials()[i].state != "SUCCEEDED";
    by_end[failed ? 1 : stopped == 0 ? INT64_MIN : -stopped].push_back(i);
    figures.push_back(run.FigureOf(i));
  }
  std::vector<size_t> order;
  for (const auto& [end, trials] : by_end) {
    const std::vector<size_t> ranked = Ranked(trials, figures, plan.better);
    order.insert(order.end(), ranked.begin(), ranked.end());
  }
  return order;
}

Json TrialJson(const SweepPlan& plan, const SweepRun& run, size_t trial) {
  Json settings = Json::object();
  for (const TrialSetting& setting : plan.trials[trial].settings)
    settings[setting.path] = setting.value;
  const int64_t stopped = run.halving().stopped_at.empty() ? 0 : run.halving().stopped_at[trial];
  const SweepTrial& read = run.trials()[trial];
  Json json = {{"trial", trial + 1}, {"job", read.job}, {"settings", std::move(settings)}};
  if (const auto figure = run.FigureOf(trial)) json["figure"] = *figure;
  // A stopped job may have gone on until it was cancelled, so its end does not count, unless it
  // failed before it reached the decision.
  const bool failed_before = read.is_read && std::ssize(read.history.epochs()) < stopped;
  if (stopped > 0 && !failed_before) {
    json["stopped_at_epoch"] = stopped;
  } else {
    json["state"] = read.state;
    json["epochs"] = std::ssize(read.history.epochs());
    json["state_sha256"] = read.state_sha256;
  }
  return json;
}

// Returns "trial 2" or "trials 1, 3".
std::string TrialsText(const Json& numbers) {
  std::vector<std::string> texts;
  for (const Json& number : numbers) texts.push_back(JsonText(number));
  return absl::StrCat(texts.size() == 1 ? "trial " : "trials ", absl::StrJoin(texts, ", "));
}

std::string SettingsText(const Json& settings) {
  std::vector<std::string> texts;
  for (const auto& [path, value] : settings.items())
    texts.push_back(absl::StrCat(path, "=", value.get<std::string>()));
  return absl::StrJoin(texts, " ");
}

}  // namespace

Json SweepJson(const SweepPlan& plan, const SweepRun& run) {
  Json sweep = {{"type", "sweep"},
                {"sweep", plan.name},
                {"metric", plan.metric},
                {"better", plan.better == Better::kLarger ? "larger" : "smaller"},
                {"trials", Json::array()}};
  for (const size_t trial : Order(plan, run))
    sweep["trials"].push_back(TrialJson(plan, run, trial));
  const Json& first = sweep["trials"].front();
  if (TextAt(first, "state") == "SUCCEEDED" && first.contains("figure"))
    sweep["best_job"] = first.at("job");
  return sweep;
}

std::string SweepText(const Json& sweep) {
  std::vector<std::vector<std::string>> rows = {
      {"TRIAL", "JOB", "END", sweep.at("metric").get<std::string>(), "SETTINGS"}};
  for (const Json& trial : sweep.at("trials")) {
    const int64_t stopped = IntegerAt(trial, "stopped_at_epoch");
    rows.push_back(
        {JsonText(trial.at("trial")), TextAt(trial, "job"),
         stopped > 0 ? absl::StrCat("stopped at epoch ", stopped) : TextAt(trial, "state"),
         trial.contains("figure") ? absl::StrFormat("%.6g", NumberAt(trial, "figure")) : "-",
         SettingsText(trial.at("settings"))});
  }
  return absl::StrCat(RenderTableWithNotes(std::move(rows), /*name=*/1),
                      sweep.contains("best_job")
                          ? absl::StrCat("best: ", TextAt(sweep, "best_job"), "\n")
                          : std::string("no job of the sweep has succeeded\n"));
}

std::string SweepEventText(const Json& event) {
  if (TextAt(event, "type") == "trial") {
    return absl::StrCat("trial ", JsonText(event.at("trial")), " is ", TextAt(event, "job"), ": ",
                        SettingsText(event.at("settings")));
  }
  if (TextAt(event, "type") == "warning") {
    return absl::StrCat("warning: trial ", JsonText(event.at("trial")), ": ",
                        TextAt(event, "message"));
  }
  return absl::StrCat("epoch ", JsonText(event.at("epoch")), ": the sweep continues with ",
                      TrialsText(event.at("kept")), ", without ", TrialsText(event.at("stopped")));
}

std::string SweepNextText(const Json& sweep, const std::string& store_flags, bool has_folder) {
  constexpr size_t kMaxCompared = 8;
  std::vector<std::string> jobs;
  for (const Json& trial : sweep.at("trials"))
    if (jobs.size() < kMaxCompared) jobs.push_back(TextAt(trial, "job"));
  if (jobs.size() < 2) return "";
  std::string text =
      absl::StrCat("next:\n  dl-submit compare", store_flags, " ", absl::StrJoin(jobs, " "), "\n");
  if (has_folder) {
    absl::StrAppend(&text, "  dl-submit ui", store_flags,
                    "  # page /compare?job=", absl::StrJoin(jobs, "&job="), "\n");
  }
  return text;
}

}  // namespace dl::cli
