// Counts the values of a table whose categories its training set does not have.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataset/feature_column.h"
#include "dataset/readers/read_options.h"

namespace dl::dataset {

// Not thread-safe.
class UnknownCounts {
 public:
  // A value of the column of this feature; nothing unless the column has categories.
  void Add(size_t feature, const FeatureColumn& column, const std::string& text);

  // The columns that have unknown categories. `places`: where the columns stand in the table.
  std::vector<UnknownCategories> Found(const std::vector<FeatureColumn>& columns,
                                       const std::vector<int64_t>& places) const;

 private:
  std::vector<UnknownCategories> counts_;  // by feature, as far as they are needed
};

}  // namespace dl::dataset
