#include "cli/output/comparison_text.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "cli/output/chart.h"
#include "cli/output/json_fields.h"
#include "cli/output/loss_text.h"
#include "cli/output/progress_bar.h"
#include "cli/output/table.h"

namespace dl::cli {
namespace {

constexpr size_t kMaxDrawn = 26;  // a letter each
constexpr int kChartLines = 8;

std::string MarkOf(size_t job) {
  return job < kMaxDrawn ? std::string(1, static_cast<char>('a' + job)) : "";
}

// Returns the figure of a job as text; empty if the job has none.
std::string FigureOf(const Json& job, const char* set, const char* name) {
  const Json* metrics = Member(job, "metrics");
  const Json* figures = metrics == nullptr ? nullptr : Member(*metrics, set);
  const Json* value = figures == nullptr ? nullptr : Member(*figures, name);
  if (value == nullptr || !value->is_number()) return "";
  if (name == std::string_view("accuracy"))
    return absl::StrFormat("%.2f %%", 100 * value->get<double>());
  return LossText(value->get<double>(), 4);
}

std::string ResultsTable(const Json& jobs) {
  std::vector<std::vector<std::string>> rows = {
      {"", "JOB", "STATE", "TEST ACC.", "TEST LOSS", "TRAIN LOSS", "ROUNDS", "EX/S", "TIME"}};
  for (size_t i = 0; i < jobs.size(); ++i) {
    const Json& job = jobs[i];
    rows.push_back({MarkOf(i), TextAt(job, "job"), TextAt(job, "state"),
                    FigureOf(job, "test", "accuracy"), FigureOf(job, "test", "loss"),
                    FigureOf(job, "train", "loss"), absl::StrCat(IntegerAt(job, "rounds")),
                    absl::StrFormat("%.0f", NumberAt(job, "examples_per_second")),
                    FormatSeconds(NumberAt(job, "wall_seconds"))});
  }
  return RenderTableWithNotes(std::move(rows), /*name=*/1);
}

Curve DrawnCurve(const SeriesCurve& series, const std::string& name, char mark) {
  Curve curve{.name = name, .mark = mark};
  for (size_t i = 0; i < series.mean.size(); ++i) {
    if (series.mean[i])
      curve.points.emplace_back(series.first + static_cast<int64_t>(i) * series.step,
                                *series.mean[i]);
  }
  return curve;
}

std::string Charts(const std::vector<ComparedCurves>& jobs) {
  std::vector<std::string> names;
  for (const ComparedCurves& job : jobs) {
    for (const SeriesCurve& curve : job.curves) {
      if (std::ranges::find(names, curve.name) == names.end()) names.push_back(curve.name);
    }
  }
  std::string text;
  for (const std::string& name : names) {
    std::vector<Curve> drawn;
    for (size_t i = 0; i < std::min(jobs.size(), kMaxDrawn); ++i) {
      const auto found = std::ranges::find(jobs[i].curves, name, &SeriesCurve::name);
      if (found != jobs[i].curves.end())
        drawn.push_back(DrawnCurve(*found, jobs[i].job, MarkOf(i).front()));
    }
    if (const std::string chart = RenderChart(drawn, kChartLines); !chart.empty())
      absl::StrAppend(&text, "\n", name, " by round\n", chart);
  }
  return text;
}

std::string ValueAt(const Json& values, size_t job) {
  return job < values.size() && values[job].is_string() ? values[job].get<std::string>() : "";
}

// Returns a block for each setting, with a line for each job.
std::string SettingsList(const Json& settings, const Json& jobs) {
  std::string text;
  for (const Json& setting : settings) {
    std::vector<std::vector<std::string>> rows;
    for (size_t i = 0; i < jobs.size(); ++i)
      rows.push_back({"  " + TextAt(jobs[i], "job"), ValueAt(setting["values"], i)});
    absl::StrAppend(&text, TextAt(setting, "path"), "\n", RenderTable(std::move(rows)));
  }
  return text;
}

std::string SettingsText(const Json& comparison) {
  const Json& settings = comparison["settings"];
  const Json& jobs = comparison["jobs"];
  const int64_t same = IntegerAt(comparison, "same");
  if (settings.empty()) return absl::StrCat("all ", same, " settings are equal\n");
  std::vector<std::vector<std::string>> rows = {{"SETTING"}};
  for (const Json& job : jobs) rows.front().push_back(TextAt(job, "job"));
  for (const Json& setting : settings) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(TextAt(setting, "path"));
    for (size_t i = 0; i < jobs.size(); ++i) row.push_back(ValueAt(setting["values"], i));
  }
  std::string table = RenderTable(std::move(rows));
  if (LongestLine(table) > kColumns) table = SettingsList(settings, jobs);
  return absl::StrCat(table, same, " other settings are equal\n");
}

}  // namespace

std::string ComparisonText(const Json& comparison, const std::vector<ComparedCurves>& curves) {
  return absl::StrCat(ResultsTable(comparison["jobs"]), Charts(curves), "\n",
                      SettingsText(comparison));
}

}  // namespace dl::cli
