// Formats the report of how a table is read, as text and as JSON.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "dataset/readers/read_options.h"
#include "dataset/readers/table/table_report.h"

namespace dl::cli {

// Returns a line about the file, a line for each column, then the label and the notes. "!" marks
// doubtful choices. After 30 columns, features without a doubt and without unknown values have no
// line and are only counted. Control characters are escaped.
std::string TableReportText(const dataset::TableReport& report);

// Returns
// {"file","rows","header","separator","decimal","columns":[{"name","index","type","distinct",
// "distinct_is_exact","missing","unknown","example","use","doubtful"}],"label","classes":{…},
// "notes":[{"text","doubtful"}]}. "label" and "classes" are left out if the table has none.
Json TableReportJson(const dataset::TableReport& report);

// Returns whether more than one value in twenty is unknown, which deserves a warning.
bool IsManyUnknown(const dataset::UnknownCategories& unknown);
// Returns a sentence about the column, which begins with its name.
std::string UnknownText(const dataset::UnknownCategories& unknown);
// Writes a line for each column, and marks it as a warning if many values are unknown.
void ReportUnknown(const std::vector<dataset::UnknownCategories>& unknown, std::ostream& err);

}  // namespace dl::cli
