// Counts the values of a table's category columns, and how many of them the training set lacks.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/feature_column.h"
#include "dataset/readers/read_options.h"
#include "dataset/readers/table/column_encoder.h"

namespace dl::dataset {

// Not thread-safe.
class UnknownCounts {
 public:
  // Counts `text` as a value of the column. Also counts it as unknown if it is not among the
  // column's categories. `feature` is the index of the column among the feature columns. Does
  // nothing if the column has no categories.
  void Add(size_t feature, const FeatureColumn& column, std::string_view text,
           CategoryPlaces& places);

  // Returns the counts of each column that has unknown values. `columns` are all feature columns,
  // and `places` their indices in the table, from 0.
  std::vector<UnknownCategories> Found(const std::vector<FeatureColumn>& columns,
                                       const std::vector<int64_t>& places) const;

  // Returns sentences about unknown values that differ from a category of the training set only in
  // how they are written, at most one for each column. Examines the first kMostTexts distinct
  // unknown values of a column. The parameters are those of Found().
  std::vector<std::string> AlikeUnknown(const std::vector<FeatureColumn>& columns,
                                        const std::vector<int64_t>& places) const;
  static constexpr size_t kMostTexts = 100;

 private:
  // By feature; may be shorter than the number of features.
  std::vector<UnknownCategories> counts_;
  std::vector<std::set<std::string>> texts_;  // the first distinct unknown values
};

}  // namespace dl::dataset
