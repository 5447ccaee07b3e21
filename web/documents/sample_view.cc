#include "web/documents/sample_view.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/printable.h"

namespace dl::web {
namespace {

constexpr char kMissing[] = "missing";
constexpr size_t kMaxListItems = 16;  // entries of a label

// Returns the number without ".0" at its end.
std::string NumberText(double number, const std::string& text) {
  constexpr double kExact = 1e15;
  const bool is_whole = std::abs(number) < kExact && number == std::trunc(number);
  return is_whole ? absl::StrCat(static_cast<int64_t>(number)) : text;
}

std::string TextOf(const Json& value) {
  if (value.is_null()) return kMissing;
  if (value.is_string()) return VisibleName(value.get<std::string>());
  if (value.is_number_float()) return NumberText(value.get<double>(), value.dump());
  if (!value.is_structured()) return value.dump();
  std::string text;
  size_t shown = 0;
  for (const auto& [key, member] : value.items()) {
    if (shown++ == kMaxListItems) return absl::StrCat(text, ", …");
    const std::string name = value.is_object() ? absl::StrCat(key, ": ") : "";
    absl::StrAppend(&text, text.empty() ? "" : ", ", name, TextOf(member));
  }
  return text;
}

// Rounds predicted numbers to five significant digits: more say nothing about the model.
Json Rounded(Json value) {
  if (value.is_structured()) {
    for (Json& member : value) member = Rounded(std::move(member));
  } else if (value.is_number_float() && value.get<double>() != 0) {
    const double number = value.get<double>();
    const double scale = std::pow(10.0, 4 - std::floor(std::log10(std::abs(number))));
    if (std::isfinite(scale))
      value = std::round(number * std::max(1.0, scale)) / std::max(1.0, scale);
  }
  return value;
}

Json CellOf(const Json& value) {
  // The empty text is the category of missing values.
  const bool is_missing = value.is_null() || (value.is_string() && value == "");
  return {{"text", is_missing ? kMissing : TextOf(value)}, {"is_missing", is_missing}};
}

// Returns the cells of a row, by `columns` if the values have names.
Json CellsOf(const Json& sample, const std::vector<std::string>& columns) {
  const Json values = sample.value("values", Json::array());
  Json cells = Json::array();
  for (size_t i = 0; i < columns.size(); ++i) {
    if (values.is_object()) {
      cells.push_back(CellOf(values.value(columns[i], Json())));
    } else if (i < values.size()) {
      cells.push_back(CellOf(values[i]));
    }
  }
  return cells;
}

std::string ListText(const Json& values) {
  std::string text;
  for (size_t i = 0; i < std::min(values.size(), kMaxShownColumns); ++i)
    absl::StrAppend(&text, i == 0 ? "" : "  ", TextOf(values[i]));
  return values.size() > kMaxShownColumns ? absl::StrCat(text, "  …") : text;
}

}  // namespace

Json SampleView(const Json& answer) {
  const Json samples = answer.value("samples", Json::array());
  Json view = {{"samples", samples}};
  if (samples.empty()) return view;
  const Json& first = samples[0];
  const Json values = first.value("values", Json::array());
  if (first.contains("has_image") || first.contains("image")) {
    view["are_pictures"] = true;
  } else if (first.contains("text")) {
    view["are_texts"] = true;
  } else if (values.is_object()) {
    view["are_rows"] = true;
  } else {
    view["are_lists"] = true;
  }
  std::vector<std::string> columns;
  if (values.is_object()) {
    for (const Json& column : answer.value("columns", Json::array())) {
      if (columns.size() < kMaxShownColumns && column.is_string()) columns.push_back(column);
    }
    view["columns"] = columns;
    if (values.size() > columns.size()) view["more_columns"] = values.size() - columns.size();
  }
  view["has_labels"] = first.contains("label") && !first.contains("text");
  for (Json& sample : view["samples"]) {
    if (sample.contains("label")) sample["label_text"] = TextOf(sample["label"]);
    if (sample.contains("predicted"))
      sample["predicted_text"] = TextOf(Rounded(std::move(sample["predicted"])));
    if (!columns.empty()) sample["cells"] = CellsOf(sample, columns);
    if (view.contains("are_lists")) sample["list_text"] = ListText(sample.value("values", Json()));
    sample.erase("values");
    sample.erase("label");
    sample.erase("predicted");
  }
  return view;
}

}  // namespace dl::web
