#include "web/documents/evaluation_document.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/printable.h"
#include "nn/metrics/agreement.h"
#include "nn/metrics/metric_sums.h"

namespace dl::web {
namespace {

constexpr size_t kMaxMistakes = 10;
constexpr double kDarkest = 9;

struct Metric {
  std::string_view key;  // of nn::FigureOf
  std::string_view name;
  bool is_share = false;  // shown in percent
};

constexpr Metric kMetrics[] = {
    {"accuracy", "Accuracy", true},
    {"loss", "Loss"},
    {"macro_f1", "Mean F1", true},
    {"macro_precision", "Mean precision", true},
    {"macro_recall", "Mean recall", true},
    {"kappa", "Kappa"},
    {"mcc", "MCC"},
    {"roc_auc", "ROC AUC"},
    {"average_precision", "Average precision"},
    {"r2", "R²"},
    {"mae", "Mean absolute error"},
    {"mse", "Mean squared error"},
};

struct Cell {
  int64_t label = 0, predicted = 0, count = 0;
};

Json MetricsOf(const nn::MetricSums& sums) {
  Json list = Json::array();
  for (const Metric& metric : kMetrics) {
    if (metric.key == "accuracy" && !sums.has_accuracy()) continue;
    const double value = nn::FigureOf(sums, metric.key);
    if (!std::isfinite(value)) continue;
    list.push_back({{"key", metric.key},
                    {"name", metric.name},
                    {"value", value},
                    {"is_share", metric.is_share}});
  }
  return list;
}

std::vector<std::string> NamesOf(int64_t classes, const std::vector<std::string>& given) {
  std::vector<std::string> names;
  for (const std::string& name : given) names.push_back(VisibleName(name));
  for (auto c = std::ssize(names); c < classes; ++c) names.push_back(absl::StrCat(c));
  return names;
}

Json FigureOrNull(double figure) { return std::isnan(figure) ? Json() : Json(figure); }

Json ClassesOf(const nn::MetricSums& sums, const std::vector<Cell>& cells,
               const std::vector<std::string>& names) {
  std::vector<int64_t> support(names.size()), predicted(names.size());
  for (const Cell& cell : cells) {
    support[static_cast<size_t>(cell.label)] += cell.count;
    predicted[static_cast<size_t>(cell.predicted)] += cell.count;
  }
  const int64_t all = std::reduce(support.begin(), support.end());
  const std::vector<nn::ClassFigures> figures = nn::FiguresByClass(sums);
  Json classes = Json::array();
  for (int64_t c = 0; c < sums.classes(); ++c) {
    const auto i = static_cast<size_t>(c);
    const int64_t hits = sums.Confused(c, c), others = all - support[i];
    const int64_t false_alarms = predicted[i] - hits;
    classes.push_back(
        {{"name", names[i]},
         {"support", support[i]},
         {"predicted", predicted[i]},
         {"true_positives", hits},
         {"false_positives", false_alarms},
         {"false_negatives", support[i] - hits},
         {"true_negatives", others - false_alarms},
         {"specificity", others == 0 ? Json()
                                     : Json(static_cast<double>(others - false_alarms) /
                                            static_cast<double>(others))},
         {"precision", FigureOrNull(figures[i].precision)},
         {"recall", FigureOrNull(figures[i].recall)},
         {"f1", FigureOrNull(figures[i].f1)}});
  }
  return classes;
}

Json MistakesOf(std::vector<Cell> cells, const std::vector<std::string>& names) {
  std::erase_if(cells, [](const Cell& cell) { return cell.label == cell.predicted; });
  std::ranges::stable_sort(cells, std::ranges::greater{}, &Cell::count);
  if (cells.size() > kMaxMistakes) cells.resize(kMaxMistakes);
  Json mistakes = Json::array();
  for (const Cell& cell : cells) {
    mistakes.push_back({{"of", names[static_cast<size_t>(cell.label)]},
                        {"as", names[static_cast<size_t>(cell.predicted)]},
                        {"examples", cell.count}});
  }
  return mistakes;
}

Json RowsOf(const nn::MetricSums& sums, const Json& classes,
            const std::vector<std::string>& names) {
  Json rows = Json::array();
  for (int64_t label = 0; label < sums.classes(); ++label) {
    const auto i = static_cast<size_t>(label);
    const double all = std::max(1.0, classes[i]["support"].get<double>());
    Json cells = Json::array();
    for (int64_t predicted = 0; predicted < sums.classes(); ++predicted) {
      const auto count = static_cast<double>(sums.Confused(label, predicted));
      cells.push_back({{"examples", sums.Confused(label, predicted)},
                       {"shade", std::llround(kDarkest * std::sqrt(count / all))},
                       {"is_diagonal", label == predicted},
                       {"of", names[i]},
                       {"as", names[static_cast<size_t>(predicted)]}});
    }
    rows.push_back({{"name", names[i]}, {"cells", std::move(cells)}});
  }
  return rows;
}

}  // namespace

StatusOr<Json> EvaluationDocument(const Json& record, const std::vector<std::string>& class_names) {
  const auto test = record.find("test");
  if (test == record.end())
    return InvalidArgument({.message = "the record has no evaluation", .where = "test"});
  DL_ASSIGN_OR_RETURN(const nn::MetricSums sums, nn::MetricSums::FromJson(*test, "test"));
  Json document = {{"round", record.value("round", int64_t{0})},
                   {"examples", sums.examples()},
                   {"metrics", MetricsOf(sums)}};
  if (sums.classes() == 0) return document;
  const std::vector<std::string> names = NamesOf(sums.classes(), class_names);
  std::vector<Cell> cells;
  sums.VisitConfusion([&](int64_t label, int64_t predicted, int64_t count) {
    cells.push_back({.label = label, .predicted = predicted, .count = count});
  });
  document["has_classes"] = true;
  document["classes"] = ClassesOf(sums, cells, names);
  document["has_rows"] = sums.classes() <= kMaxMatrixClasses;
  document["max_matrix_classes"] = kMaxMatrixClasses;
  if (sums.classes() <= kMaxMatrixClasses)
    document["rows"] = RowsOf(sums, document["classes"], names);
  document["mistakes"] = MistakesOf(std::move(cells), names);
  return document;
}

const Json* LastEvaluation(const Json& records) {
  std::vector<const Json*> counting;  // ascending by round
  for (const Json& record : records) {
    const std::string type = record.value("type", "");
    const auto round = record.value("round", int64_t{0});
    if (type == "evaluation") counting.push_back(&record);
    if (type != "rollback") continue;
    while (!counting.empty() && counting.back()->value("round", int64_t{0}) > round)
      counting.pop_back();
  }
  return counting.empty() ? nullptr : counting.back();
}

}  // namespace dl::web
