// What a column of a table is to a network: a number, or categories by their vocabulary, and what
// stands for a value that is missing. Made of the training set, kept with its schema, and applied
// to every other set: a test set and what is predicted later mean the same by the same text.
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

// Stored by name.
// kDate: days since 1970-01-01. kDateParts: year, month, day, weekday, hour, minute.
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
  // Of kOneHot and kIndex: ascending by bytes, UTF-8. The empty text is that of a missing value.
  std::vector<std::string> categories;
  bool unknown_is_error = false;      // a category that is none of these
  std::optional<double> fill_number;  // for a missing one, in the range of float32. None: an error
  std::optional<std::string> fill_category;           // one of `categories`, or the empty text
  job::DateOrder date_order = job::DateOrder::kSure;  // of kDate and kDateParts
  // The zone of the training set's times, for kDate and kDateParts, as DateTime::zone
  // (readers/date_time.h). Other times are converted to it.
  std::string zone;

  bool operator==(const FeatureColumn&) const = default;

  bool IsNumber() const { return encoding == ColumnEncoding::kNumber; }
  bool HasCategories() const {
    return encoding == ColumnEncoding::kOneHot || encoding == ColumnEncoding::kIndex;
  }
  int64_t Width() const;  // features that it becomes
};

// Names of the parts of a date, in their order.
inline constexpr std::string_view kDatePartNames[] = {"year",    "month", "day",
                                                      "weekday", "hour",  "minute"};

// "age"; "workclass=Private" for each category of one_hot; "day.year" for each part of a date.
std::vector<std::string> FeatureNamesOf(const std::vector<FeatureColumn>& columns);
int64_t WidthOf(const std::vector<FeatureColumn>& columns);

// InvalidArgument, of a schema and what it is made of.
Status BadSchema(std::string message);

// Each within base/limits.h and consistent in itself.
Status ValidateColumns(const std::vector<FeatureColumn>& columns);

// [{"name":"age","fill":38.5},{"name":"class","encoding":"one_hot","categories":["a","b"],
//   "unknown":"ignore","fill":"a"},{"name":"day","encoding":"date","order":"day_first"}]
Json ColumnsToJson(const std::vector<FeatureColumn>& columns);
StatusOr<std::vector<FeatureColumn>> ColumnsFromJson(const Json& json, const std::string& path);

}  // namespace dl::dataset
