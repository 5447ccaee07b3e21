// Counts the values of a table whose categories the training set lacks.
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
  // Counts a value of the column of this feature. Does nothing if the column has no categories.
  void Add(size_t feature, const FeatureColumn& column, const std::string& text);

  // Returns the columns with unknown categories. `places` are the indices of the columns in the
  // table.
  std::vector<UnknownCategories> Found(const std::vector<FeatureColumn>& columns,
                                       const std::vector<int64_t>& places) const;

 private:
  std::vector<UnknownCategories> counts_;  // by feature; may be shorter than the number of features
};

}  // namespace dl::dataset
