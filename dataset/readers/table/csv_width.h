// Limits the number of features of a table.
#pragma once

#include <vector>

#include "base/status.h"
#include "dataset/feature_column.h"
#include "dataset/readers/table/csv_rows.h"

namespace dl::dataset {

// Returns InvalidArgument if the features of all columns are more than limits::kMaxCsvColumns. It
// names the widest column. `columns` are those of the features of `rows`.
Status CheckWidth(const CsvRows& rows, const std::vector<FeatureColumn>& columns);

}  // namespace dl::dataset
