// Words that begin a row of totals in a report.
#pragma once

#include <string>

namespace dl::dataset {

// "Total", "Average" and the like, in letters of either case.
bool IsTotalWord(const std::string& text);

}  // namespace dl::dataset
