#include "inference/serving/json_rows.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/json.h"
#include "base/suggest.h"
#include "dataset/readers/source.h"
#include "dataset/readers/table/table_columns.h"
#include "inference/serving/memory_file.h"
#include "job/sources/csv.h"

namespace dl::inference {
namespace {

using dataset::ExampleTable;
using dataset::Schema;

Status BadRow(size_t row, std::string message) {
  return InvalidArgument({.message = std::move(message), .where = absl::StrCat("rows[", row, "]")});
}

// ---- Tables: the rows become a CSV file, so that all rules of its reader apply.

StatusOr<std::string> FieldOf(const Json& value, size_t row) {
  if (value.is_null()) return std::string();
  if (value.is_boolean()) return std::string(value.get<bool>() ? "true" : "false");
  if (value.is_number()) return value.dump();  // the fewest digits that give the same double
  if (!value.is_string()) return BadRow(row, "a value of a table is a number, a text or null");
  return absl::StrCat(
      "\"", absl::StrReplaceAll(value.get_ref<const std::string&>(), {{"\"", "\"\""}}), "\"");
}

class TableText {
 public:
  explicit TableText(const Schema& training)
      : names_(dataset::ColumnNamesOf(training)), count_(dataset::ColumnCountOf(training)) {
    for (const auto& other : {dataset::LabelNamesOf(training), dataset::WeightNamesOf(training)})
      ignored_.insert(ignored_.end(), other.begin(), other.end());
    if (names_.empty()) return;
    std::vector<Json> header(names_.begin(), names_.end());
    (void)AddFields(header, 0);
  }

  Status Add(const Json& json, size_t row) {
    if (json.is_array()) {
      if (static_cast<int64_t>(json.size()) != count_) {
        return BadRow(row, absl::StrCat("it has ", json.size(), " values, but the model has ",
                                        count_, " columns"));
      }
      return AddFields(json, row);
    }
    if (!json.is_object() || names_.empty())
      return BadRow(row, names_.empty() ? "a row is a list, because the columns have no names"
                                        : "a row is an object or a list");
    DL_RETURN_IF_ERROR(CheckNames(json, row));
    std::vector<Json> values;
    for (const std::string& name : names_) {
      const auto found = json.find(name);
      if (found == json.end()) {
        return BadRow(row,
                      absl::StrCat("it lacks the column \"", name, "\"; null is a missing value"));
      }
      values.push_back(*found);
    }
    return AddFields(values, row);
  }

  const std::string& text() const { return text_; }
  bool has_header() const { return !names_.empty(); }

 private:
  template <typename Values>
  Status AddFields(const Values& values, size_t row) {
    bool first = true;
    for (const Json& value : values) {
      DL_ASSIGN_OR_RETURN(const std::string field, FieldOf(value, row));
      absl::StrAppend(&text_, first ? "" : ",", field);
      // A row of one missing value must not be an empty line.
      if (count_ == 1 && field.empty()) text_ += "\"\"";
      first = false;
    }
    text_ += '\n';
    return absl::OkStatus();
  }
  Status CheckNames(const Json& json, size_t row) const {
    for (const auto& [name, value] : json.items()) {
      if (std::ranges::find(names_, name) == names_.end() &&
          std::ranges::find(ignored_, name) == ignored_.end()) {
        return BadRow(
            row, absl::StrCat("the model has no column \"", name, "\"", DidYouMean(name, names_)));
      }
    }
    return absl::OkStatus();
  }

  const std::vector<std::string> names_;
  const int64_t count_;
  std::vector<std::string> ignored_;
  std::string text_;
};

// Names the row of the body instead of the row of the table. `first` is the number of the first row
// after the header.
Status OfRows(const Status& error, const std::string& path, int64_t first) {
  std::string message = absl::StrReplaceAll(std::string(error.message()), {{path, "rows"}});
  std::string where = "rows";
  constexpr std::string_view kRow = "row ";
  const size_t end = message.find(", ");
  int64_t row = 0;
  if (message.starts_with(kRow) && end != std::string::npos &&
      absl::SimpleAtoi(message.substr(kRow.size(), end - kRow.size()), &row)) {
    where = absl::StrCat("rows[", row - first, "]");
    message.erase(0, end + 2);
  }
  return MakeError(error.code(),
                   {.message = std::move(message),
                    .where = std::move(where),
                    .remedy = "Send the value as in the training set. dl-submit predict reads "
                              "tables that are written in other ways"});
}

StatusOr<ExampleTable> ReadTable(const Json& rows, const Schema& training,
                                 std::vector<dataset::UnknownCategories>* unknown) {
  if (training.feature_shape.size() > 1) {
    return MakeError(absl::StatusCode::kUnimplemented,
                     {.message = "rows that are steps of sequences are not read from JSON",
                      .remedy = "Write them to a table and use dl-submit predict"});
  }
  TableText table(training);
  for (size_t i = 0; i < rows.size(); ++i) DL_RETURN_IF_ERROR(table.Add(rows[i], i));
  DL_ASSIGN_OR_RETURN(const MemoryFile file, MemoryFile::Create(table.text()));
  job::CsvSource source;
  source.path = job::Files({file.path()});
  source.header = table.has_header();
  switch (training.label_kind()) {
    case dataset::LabelKind::kClass:
      source.label_type = job::LabelType::kClass;
      break;
    case dataset::LabelKind::kTarget:
      source.label_type = job::LabelType::kNumber;
      break;
    case dataset::LabelKind::kNone:
      source.label_type = job::LabelType::kNone;
      break;
  }
  auto read = dataset::ReadSource(job::DatasetSpec(source), {.training = &training,
                                                             .labels = dataset::LabelColumns::kNone,
                                                             .uses_weights = false,
                                                             .unknown = unknown});
  return read.ok() ? std::move(read)
                   : OfRows(read.status(), file.path(), table.has_header() ? 2 : 1);
}

// ---- Arrays.

// Appends all numbers of nested lists. Returns false for a value that is not a number.
bool Flatten(const Json& json, std::vector<double>& out) {
  if (json.is_number()) {
    out.push_back(json.get<double>());
    return true;
  }
  return json.is_array() &&
         std::ranges::all_of(json, [&](const Json& inner) { return Flatten(inner, out); });
}

// Returns the extents of nested lists, such as {3, 32, 32}. Returns an empty list if the lists of a
// level differ in length.
std::vector<int64_t> ExtentsOf(const Json& json) {
  if (!json.is_array()) return {};
  std::vector<int64_t> extents = {std::ssize(json)};
  if (json.empty() || !json.front().is_array()) return extents;
  const std::vector<int64_t> inner = ExtentsOf(json.front());
  const bool are_equal = !inner.empty() && std::ranges::all_of(json, [&](const Json& other) {
    return ExtentsOf(other) == inner;
  });
  if (!are_equal) return {};
  extents.insert(extents.end(), inner.begin(), inner.end());
  return extents;
}

// Nested lists must have the order of the model's values. An image as rows, columns, channels has
// as many values as one as channels, rows, columns.
bool FitsShape(const Json& json, const Schema& schema) {
  std::vector<int64_t> extents = ExtentsOf(json);
  if (extents.size() == 1) return true;
  std::vector<int64_t> shape = schema.feature_shape;
  if (schema.variable_length && !extents.empty()) shape.front() = extents.front();
  std::erase(extents, 1);
  std::erase(shape, 1);
  return !extents.empty() && extents == shape;
}

// Returns the index of the normalized feature to which an element of an example belongs.
size_t FeatureOf(const Schema& schema, size_t element) {
  const auto features = static_cast<size_t>(schema.NormalizedFeatures());
  const size_t of_channel = static_cast<size_t>(schema.FeatureSize()) / features;
  return schema.feature_shape.size() > 2 ? element / of_channel : element % features;
}

Status AddValues(const std::vector<double>& values, size_t row, ExampleTable& table) {
  const Schema& schema = table.schema;
  const std::vector<double>& origins = schema.origins();
  const bool is_bytes = schema.feature_type() == dataset::FeatureType::kU8;
  for (size_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    if (is_bytes) {
      if (value < 0 || value > 255 || value != std::floor(value))
        return BadRow(row, absl::StrCat("value ", i, " is not a whole number from 0 to 255"));
      table.u8.push_back(static_cast<uint8_t>(value));
      continue;
    }
    const double origin = origins.empty() ? 0 : origins[FeatureOf(schema, i)];
    const auto rounded = static_cast<float>(value - origin);
    if (!std::isfinite(rounded))
      return BadRow(row, absl::StrCat("value ", i, " is beyond the range of float32"));
    table.f32.push_back(rounded);
  }
  return absl::OkStatus();
}

Status AddExample(const Json& json, size_t row, ExampleTable& table) {
  const Schema& schema = table.schema;
  const auto size = static_cast<size_t>(schema.FeatureSize());
  const auto step = static_cast<size_t>(schema.StepSize());
  std::vector<double> values;
  if (!json.is_array() || !Flatten(json, values))
    return BadRow(row, "an example is a list of numbers, or lists of them");
  if (!FitsShape(json, schema)) {
    return BadRow(row, absl::StrCat("its lists are not those of an example of the model, ",
                                    absl::StrJoin(schema.feature_shape, "x"), ", in this order"));
  }
  const bool fits = schema.variable_length
                        ? !values.empty() && values.size() <= size && values.size() % step == 0
                        : values.size() == size;
  if (!fits) {
    return BadRow(row, absl::StrCat("it has ", values.size(), " values, but an example of the ",
                                    "model has ", schema.variable_length ? "up to " : "", size));
  }
  DL_RETURN_IF_ERROR(AddValues(values, row, table));
  if (!schema.variable_length) return absl::OkStatus();
  table.lengths.push_back(static_cast<int32_t>(values.size() / step));
  const bool is_bytes = schema.feature_type() == dataset::FeatureType::kU8;
  if (is_bytes) table.u8.resize((row + 1) * size);
  if (!is_bytes) table.f32.resize((row + 1) * size);
  return absl::OkStatus();
}

}  // namespace

StatusOr<ExampleTable> TableOfRows(const Json& rows, const Schema& training,
                                   std::vector<dataset::UnknownCategories>* unknown) {
  if (!training.columns().empty() || !training.feature_names().empty())
    return ReadTable(rows, training, unknown);
  ExampleTable table{.schema = training, .examples = static_cast<int64_t>(rows.size())};
  for (size_t i = 0; i < rows.size(); ++i) DL_RETURN_IF_ERROR(AddExample(rows[i], i, table));
  return table;
}

}  // namespace dl::inference
