#include "dataset/readers/table/unknown_counts.h"

#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "dataset/readers/alike_texts.h"

namespace dl::dataset {
namespace {

std::string NameOf(const FeatureColumn& column, int64_t place) {
  return column.name.empty() ? absl::StrCat("column ", place + 1) : column.name;
}

}  // namespace

void UnknownCounts::Add(size_t feature, const FeatureColumn& column, std::string_view text,
                        CategoryPlaces& places) {
  if (!column.HasCategories()) return;
  if (feature >= counts_.size()) {
    counts_.resize(feature + 1);
    texts_.resize(feature + 1);
  }
  UnknownCategories& count = counts_[feature];
  ++count.values;
  if (places.Find(column, text)) return;
  if (count.unknown++ == 0) count.example = text;
  if (texts_[feature].size() < kMostTexts) texts_[feature].emplace(text);
}

std::vector<UnknownCategories> UnknownCounts::Found(const std::vector<FeatureColumn>& columns,
                                                    const std::vector<int64_t>& places) const {
  std::vector<UnknownCategories> found;
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i].unknown == 0) continue;
    found.push_back(counts_[i]);
    found.back().column = NameOf(columns[i], places[i]);
  }
  return found;
}

std::vector<std::string> UnknownCounts::AlikeUnknown(const std::vector<FeatureColumn>& columns,
                                                     const std::vector<int64_t>& places) const {
  std::vector<std::string> sentences;
  for (size_t i = 0; i < texts_.size(); ++i) {
    if (texts_[i].empty()) continue;
    std::vector<std::string> all = columns[i].categories;
    all.insert(all.end(), texts_[i].begin(), texts_[i].end());
    for (const AlikeTexts& alike : FindAlikeTexts(all)) {
      if (!texts_[i].contains(alike.second) || texts_[i].contains(alike.first)) continue;
      sentences.push_back(
          absl::StrCat("\"", Excerpt(NameOf(columns[i], places[i])), "\": \"",
                       Excerpt(alike.second), "\" is unknown, and the training set has \"",
                       Excerpt(alike.first), "\": they differ in ", std::string(alike.difference),
                       " alone. Write values as in the "
                       "training set"));
      break;
    }
  }
  return sentences;
}

}  // namespace dl::dataset
