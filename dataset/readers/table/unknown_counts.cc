#include "dataset/readers/table/unknown_counts.h"

#include "absl/strings/str_cat.h"

namespace dl::dataset {

void UnknownCounts::Add(size_t feature, const FeatureColumn& column, std::string_view text,
                        CategoryPlaces& places) {
  if (!column.HasCategories()) return;
  if (feature >= counts_.size()) counts_.resize(feature + 1);
  UnknownCategories& count = counts_[feature];
  ++count.values;
  if (places.Find(column, text)) return;
  if (count.unknown++ == 0) count.example = text;
}

std::vector<UnknownCategories> UnknownCounts::Found(const std::vector<FeatureColumn>& columns,
                                                    const std::vector<int64_t>& places) const {
  std::vector<UnknownCategories> found;
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i].unknown == 0) continue;
    found.push_back(counts_[i]);
    found.back().column =
        columns[i].name.empty() ? absl::StrCat("column ", places[i] + 1) : columns[i].name;
  }
  return found;
}

}  // namespace dl::dataset
