#include "cli/output/history_text.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "cli/output/chart.h"
#include "cli/output/loss_text.h"
#include "cli/output/table.h"

namespace dl::cli {
namespace {

using NamedFigures = std::map<std::string, double>;

// The sets of figures of an epoch, with the words that name them.
constexpr std::pair<const char*, NamedFigures EpochFigures::*> kSets[] = {
    {"train", &EpochFigures::train}, {"test", &EpochFigures::test}};

// Returns the columns of figures that at least one epoch has: their set and name.
std::vector<std::pair<size_t, std::string>> ColumnsOf(const JobHistory& history) {
  std::vector<std::pair<size_t, std::string>> columns;
  for (const std::string& name : history.Names()) {
    for (size_t set = 0; set < std::size(kSets); ++set) {
      for (const EpochFigures& epoch : history.epochs()) {
        if (!(epoch.*kSets[set].second).contains(name)) continue;
        columns.emplace_back(set, name);
        break;
      }
    }
  }
  return columns;
}

// Returns the figure as text; empty if the epoch lacks it.
template <typename Format>
std::string Cell(const EpochFigures& epoch, const std::pair<size_t, std::string>& column,
                 Format format) {
  const NamedFigures& figures = epoch.*kSets[column.first].second;
  const auto found = figures.find(column.second);
  return found == figures.end() ? "" : format(found->second);
}

Json EpochJson(const EpochFigures& epoch) {
  Json json = {{"epoch", epoch.epoch}, {"round", epoch.round}, {"train", epoch.train}};
  if (!epoch.test.empty()) json["test"] = epoch.test;
  return json;
}

std::string ChartOf(const JobHistory& history, const std::string& name) {
  std::vector<Curve> curves = {{.name = "train " + name, .mark = '.'},
                               {.name = "test " + name, .mark = '*'}};
  for (const EpochFigures& epoch : history.epochs()) {
    for (size_t set = 0; set < std::size(kSets); ++set) {
      const NamedFigures& figures = epoch.*kSets[set].second;
      if (const auto found = figures.find(name); found != figures.end())
        curves[set].points.emplace_back(epoch.epoch, found->second);
    }
  }
  return RenderChart(curves);
}

}  // namespace

std::string HistoryText(const JobHistory& history, const std::string& name) {
  std::vector<std::vector<std::string>> rows = {{"EPOCH", "ROUND"}};
  for (const EpochFigures& epoch : history.epochs())
    rows.push_back({absl::StrCat(epoch.epoch), absl::StrCat(epoch.round)});
  auto columns = ColumnsOf(history);
  // The drawn figure is never left out.
  std::ranges::stable_partition(columns, [&](const auto& column) { return column.second == name; });
  size_t left_out = 0, width = LongestLine(RenderTable(rows));
  for (const auto& column : columns) {
    std::vector<std::string> cells = {absl::StrCat(kSets[column.first].first, " ", column.second)};
    for (const EpochFigures& epoch : history.epochs())
      cells.push_back(Cell(epoch, column, [](double value) { return LossText(value, 4); }));
    const size_t needs = 2 + std::ranges::max(cells, {}, &std::string::size).size();
    if (column.second != name && width + needs > kColumns) {
      ++left_out;
      continue;
    }
    width += needs;
    for (size_t row = 0; row < rows.size(); ++row) rows[row].push_back(std::move(cells[row]));
  }
  return absl::StrCat(ChartOf(history, name), "\n", RenderTable(std::move(rows)),
                      left_out == 0 ? "" : absl::StrCat(left_out, " more columns: --csv\n"));
}

std::string HistoryCsv(const JobHistory& history) {
  const auto columns = ColumnsOf(history);
  std::string text = "epoch,round";
  for (const auto& [set, figure] : columns)
    absl::StrAppend(&text, ",", kSets[set].first, "_", figure);
  for (const EpochFigures& epoch : history.epochs()) {
    absl::StrAppend(&text, "\n", epoch.epoch, ",", epoch.round);
    for (const auto& column : columns) {
      absl::StrAppend(&text, ",",
                      Cell(epoch, column, [](double value) { return JsonText(Json(value)); }));
    }
  }
  return text + "\n";
}

Json HistoryJson(const std::string& job, const JobHistory& history) {
  Json json = {{"job", job}, {"epochs", Json::array()}, {"rolled_back", Json::array()}};
  for (const EpochFigures& epoch : history.epochs()) json["epochs"].push_back(EpochJson(epoch));
  for (const EpochFigures& epoch : history.rolled_back())
    json["rolled_back"].push_back(EpochJson(epoch));
  return json;
}

}  // namespace dl::cli
