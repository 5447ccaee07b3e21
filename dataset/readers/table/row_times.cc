#include "dataset/readers/table/row_times.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "dataset/readers/table/date_time.h"

namespace dl::dataset {
namespace {

constexpr int64_t kDaySeconds = 86400;

int64_t SecondsOf(const DateTime& time) {
  const int64_t offset = OffsetOfZone(time.zone).value_or(0);  // minutes
  return std::llround(DaysSince1970(time) * static_cast<double>(kDaySeconds)) - offset * 60;
}

std::string StepText(int64_t seconds) {
  if (seconds % kDaySeconds == 0)
    return absl::StrCat(seconds / kDaySeconds, seconds == kDaySeconds ? " day" : " days");
  if (seconds % 3600 == 0) return absl::StrCat(seconds / 3600, " h");
  return seconds % 60 == 0 ? absl::StrCat(seconds / 60, " min") : absl::StrCat(seconds, " s");
}

}  // namespace

void RowTimes::Visit(const CsvRows& rows, bool begins) {
  const CsvColumns& columns = rows.columns();
  const auto date = std::find_if(columns.dates.begin(), columns.dates.end(),
                                 [](ColumnEncoding e) { return e != ColumnEncoding::kNumber; });
  if (date == columns.dates.end()) return;
  const int64_t column = columns.features[date - columns.dates.begin()];
  const auto time = ParseDateTime(rows.fields()[column], order_);
  if (begins) last_.reset();
  const std::optional<int64_t> before = last_;
  last_ = time ? std::optional(SecondsOf(*time)) : std::nullopt;
  if (!before || !last_) return;
  name_ = rows.names().empty() ? absl::StrCat("column ", column + 1)
                               : absl::StrCat("\"", Excerpt(rows.names()[column]), "\"");
  ++steps_;
  const int64_t step = *last_ - *before;
  if (step < 0) ++backward_;
  if (step == 0) ++repeated_;
  if (step > 0 && (count_of_.size() < kMostSteps || count_of_.contains(step))) ++count_of_[step];
}

std::vector<std::string> RowTimes::Warnings() const {
  std::vector<std::string> warnings;
  if (backward_ > 0) {
    warnings.push_back(absl::StrCat(
        name_, ": ", backward_, " of ", steps_,
        " rows are earlier than the row before them, and sequences take rows in the order of the "
        "file. Sort the rows by their time"));
    return warnings;
  }
  // If most rows have the time of the row before them, the times may be those of days.
  if (repeated_ > 0 && 2 * repeated_ < steps_) {
    warnings.push_back(absl::StrCat(name_, ": ", repeated_, " of ", steps_,
                                    " rows have the time of the row before them. Where they are "
                                    "copies, remove them; where they are several series, name the "
                                    "column that tells them apart in sequences.column"));
  }
  const auto usual =
      std::max_element(count_of_.begin(), count_of_.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (usual == count_of_.end() || 2 * usual->second <= steps_) return warnings;
  int64_t gaps = 0;
  for (const auto& [step, count] : count_of_) gaps += 2 * step > 3 * usual->first ? count : 0;
  if (gaps == 0) return warnings;
  warnings.push_back(absl::StrCat(name_, ": ", gaps, " of ", steps_,
                                  " rows follow the row before them after more than the usual ",
                                  StepText(usual->first),
                                  ", and sequences go on across such gaps. Give each stretch "
                                  "without a gap a text of its own in "
                                  "a column, and name the column in sequences.column"));
  return warnings;
}

}  // namespace dl::dataset
