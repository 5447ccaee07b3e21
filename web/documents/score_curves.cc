#include "web/documents/score_curves.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/printable.h"

namespace dl::web {
namespace {

std::vector<double> NumbersOf(const Json& curve, const char* key) {
  std::vector<double> numbers;
  for (const Json& number : curve.value(key, Json::array()))
    numbers.push_back(number.is_number() ? number.get<double>() : 0);
  return numbers;
}

std::string PlaceOf(double x, double y) {
  constexpr ChartArea kArea;
  return absl::StrFormat("%.1f %.1f", kArea.left + kArea.width * x,
                         kArea.top + kArea.height * (1 - y));
}

// Straight lines from (0, 0) through the points.
std::string RocPath(const Json& curve) {
  const std::vector<double> recall = NumbersOf(curve, "recall"),
                            others = NumbersOf(curve, "false_positive_rate");
  std::string path = absl::StrCat("M", PlaceOf(0, 0));
  for (size_t i = 0; i < std::min(recall.size(), others.size()); ++i)
    absl::StrAppend(&path, "L", PlaceOf(others[i], recall[i]));
  return path;
}

// Steps: up to the recall of a point, the precision is that of the point.
std::string PrecisionPath(const Json& curve) {
  const std::vector<double> recall = NumbersOf(curve, "recall"),
                            precision = NumbersOf(curve, "precision");
  std::string path;
  double before = 0;
  for (size_t i = 0; i < std::min(recall.size(), precision.size()); ++i) {
    if (recall[i] <= before) continue;  // the step has no width
    absl::StrAppend(&path, path.empty() ? "M" : "L", PlaceOf(before, precision[i]), "L",
                    PlaceOf(recall[i], precision[i]));
    before = recall[i];
  }
  return path;
}

// Returns the name of a class or an answer. `answers` are the names of the answers.
std::string NameOf(const Json& entry, const std::vector<std::string>& answers) {
  if (const auto name = entry.find("class"); name != entry.end() && name->is_string())
    return VisibleName(name->get<std::string>());
  const auto output = entry.value("output", int64_t{0});
  if (output >= 0 && output < std::ssize(answers) && !answers[static_cast<size_t>(output)].empty())
    return VisibleName(answers[static_cast<size_t>(output)]);
  return absl::StrCat("output ", output);
}

// Returns the classes or answers that have a curve, with their names.
std::vector<Json> EntriesWithCurve(const Json& figures, const std::vector<std::string>& answers) {
  std::vector<Json> entries;
  for (const char* key : {"classes", "outputs"}) {
    for (const Json& entry : figures.value(key, Json::array())) {
      if (!entry.is_object() || !entry.contains("curve")) continue;
      entries.push_back(entry);
      entries.back()["name"] = NameOf(entry, answers);
    }
  }
  if (!entries.empty()) return entries;
  const Json outputs = figures.value("by_output", Json::array());
  for (size_t i = outputs.size(); i-- > 0 && entries.empty();)
    entries = EntriesWithCurve(outputs[i], {});
  return entries;
}

}  // namespace

Json ScoreCurves(const Json& figures, const std::vector<std::string>& answers) {
  std::vector<Json> entries = EntriesWithCurve(figures, answers);
  if (entries.empty()) return Json::object();
  Json points = Json::array();
  for (const Json& entry : entries) {
    for (Json point : entry.value("at_threshold", Json::array())) {
      point["name"] = entry["name"];
      points.push_back(std::move(point));
    }
  }
  std::ranges::stable_sort(entries, {},
                           [](const Json& entry) { return entry.value("roc_auc", 0.0); });
  Json curves = Json::array(), colored = Json::array();
  for (size_t i = entries.size(); i-- > 0;) {
    Json curve = {{"name", entries[i]["name"]},
                  {"roc_auc", entries[i].value("roc_auc", 0.0)},
                  {"average_precision", entries[i].value("average_precision", 0.0)}};
    if (i < kMaxColoredCurves) {
      curve["color"] = i + 1;
      colored.insert(colored.begin(), curve);
    }
    curve["roc"] = RocPath(entries[i]["curve"]);
    curve["precision_recall"] = PrecisionPath(entries[i]["curve"]);
    curves.push_back(std::move(curve));
  }
  const bool are_answers = entries.size() > 1 && entries[0].contains("output");
  return {{"is_single", entries.size() == 1},
          {"are_answers", are_answers},
          {"are_classes", entries.size() > 1 && !are_answers},
          {"has_more", entries.size() > kMaxColoredCurves},
          {"curves", std::move(curves)},
          {"colored", std::move(colored)},
          {"points", std::move(points)}};
}

}  // namespace dl::web
