// How a column of a table becomes features: as a number, or as categories with a vocabulary, and
// what replaces a missing value. It is determined from the training set, stored in its schema and
// applied to all other sets, so that the same text has the same meaning everywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "job/sources/table_values.h"

namespace dl::dataset {

// Stored by name. kDate: days since 1970-01-01. kDateParts: year, month, day, weekday, hour,
// minute.
enum class ColumnEncoding : uint8_t {
  kNumber = 1,
  kOneHot = 2,
  kIndex = 3,
  kDate = 4,
  kDateParts = 5,
};

struct FeatureColumn {
  std::string name;  // empty without a header
  ColumnEncoding encoding = ColumnEncoding::kNumber;
  // For kOneHot and kIndex: UTF-8, ascending by bytes. The empty text is the category of missing
  // values.
  std::vector<std::string> categories;
  bool unknown_is_error = false;  // about a category that is not in `categories`
  // Value for a missing number or date (kDate), in the range of float32; nullopt: a missing value
  // is an error. A missing date of kDateParts is always an error.
  std::optional<double> fill_number;
  // Category for a missing value: one of `categories`, or the empty text; nullopt: an error. The
  // empty text is an unknown category if the training set has no missing value.
  std::optional<std::string> fill_category;
  job::DateOrder date_order = job::DateOrder::kSure;  // for kDate and kDateParts
  // For kDate and kDateParts: time zone of the training set in the form of DateTime::zone
  // (dataset/readers/table/date_time.h). Other times are converted to it.
  std::string zone;

  bool operator==(const FeatureColumn&) const = default;

  bool IsNumber() const { return encoding == ColumnEncoding::kNumber; }
  bool HasCategories() const {
    return encoding == ColumnEncoding::kOneHot || encoding == ColumnEncoding::kIndex;
  }
  int64_t Width() const;  // number of features of the column
};

// Names of the parts of a date, in order.
inline constexpr std::string_view kDatePartNames[] = {"year",    "month", "day",
                                                      "weekday", "hour",  "minute"};

// Returns the names of the features: "age"; "workclass=Private" for each category of one_hot;
// "day.year" for each part of a date.
std::vector<std::string> FeatureNamesOf(const std::vector<FeatureColumn>& columns);
// Returns the number of features of all columns.
int64_t WidthOf(const std::vector<FeatureColumn>& columns);

// Returns InvalidArgument about a schema.
Status BadSchema(std::string message);

// Returns InvalidArgument unless each column is consistent and within base/limits.h.
Status ValidateColumns(const std::vector<FeatureColumn>& columns);

// [{"name":"age","fill":38.5},{"name":"class","encoding":"one_hot","categories":["a","b"],
//   "unknown":"ignore","fill":"a"},{"name":"day","encoding":"date","order":"day_first"}]
Json ColumnsToJson(const std::vector<FeatureColumn>& columns);
// Returns InvalidArgument, which names the path, if the JSON has another form. Does not run
// ValidateColumns.
StatusOr<std::vector<FeatureColumn>> ColumnsFromJson(const Json& json, const std::string& path);

}  // namespace dl::dataset
