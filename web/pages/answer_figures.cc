#include "web/pages/answer_figures.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/printable.h"
#include "web/pages/text_format.h"

namespace dl::web {

std::vector<std::string> TargetNames(const Json& manifest) {
  std::vector<std::string> names;
  const Json schema = manifest.value("schema", Json::object());
  for (const char* key : {"target_columns", "label_columns"}) {
    const Json columns = schema.value(key, Json::array());
    if (!columns.is_array() || columns.empty()) continue;
    for (const Json& column : columns) {
      const Json& name = column.is_object() ? column.value("name", Json()) : column;
      names.push_back(name.is_string() ? name.get<std::string>() : "");
    }
    break;
  }
  return names;
}

void NameAnswers(const std::vector<std::string>& names, Json& mistakes) {
  for (Json& mistake : mistakes) {
    const Json probabilities = mistake.value("probabilities", Json::array());
    std::string text;
    for (size_t i = 0; i < probabilities.size(); ++i) {
      if (!probabilities[i].is_number()) continue;
      const std::string name = i < names.size() && !names[i].empty() ? VisibleName(names[i])
                                                                     : absl::StrCat("output ", i);
      absl::StrAppend(&text, text.empty() ? "" : ", ", name, " ",
                      PercentText(probabilities[i].get<double>()));
    }
    if (!text.empty()) mistake["answers_text"] = text;
    mistake.erase("probabilities");
  }
}

Json AveragesOf(const Json& figures) {
  static constexpr std::pair<const char*, const char*> kAverages[] = {
      {"exact_match", "Exact match"},
      {"micro_f1", "Micro F1"},
      {"micro_precision", "Micro precision"},
      {"micro_recall", "Micro recall"},
      {"macro_f1", "Macro F1"},
      {"macro_precision", "Macro precision"},
      {"macro_recall", "Macro recall"}};
  Json list = Json::array();
  if (!figures.contains("exact_match")) return list;
  for (const auto& [key, name] : kAverages) {
    const auto figure = figures.find(key);
    if (figure != figures.end() && figure->is_number())
      list.push_back({{"name", name}, {"value", *figure}});
  }
  return list;
}

}  // namespace dl::web
