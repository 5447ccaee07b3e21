// Recognizes words that begin a row of totals in a report.
#pragma once

#include <string>

namespace dl::dataset {

// True for "Total", "Average" and similar words, in any case.
bool IsTotalWord(const std::string& text);

}  // namespace dl::dataset
