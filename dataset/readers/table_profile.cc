#include "dataset/readers/table_profile.h"

#include <algorithm>
#include <cmath>

#include "base/checksum.h"
#include "dataset/readers/column_encoder.h"

namespace dl::dataset {

int64_t ColumnProfile::CountKnownMissing() const {
  int64_t count = 0;
  for (const auto& [text, occurrence] : known_missing_) count += occurrence.count;
  return count;
}

void ColumnProfile::AddNumber(double value, const std::string& text) {
  const int64_t before = of(FieldKind::kNumber).count;
  min_ = before == 0 ? value : std::min(min_, value);
  max_ = before == 0 ? value : std::max(max_, value);
  counts_rows_ = counts_rows_ && (before == 0 || value == previous_ + 1);
  previous_ = value;
  if (value != std::trunc(value)) ++fractions_;
  numbers_.Add(Xxh3(text));
}

void ColumnProfile::Add(const std::string& text, const RowPlace& place) {
  ++rows_;
  if (missing_texts_->Has(text)) {
    if (missing_++ == 0) first_missing_ = place;
    if (!text.empty() &&
        (missing_spellings_.size() < kMostTexts || missing_spellings_.contains(text)))
      ++missing_spellings_[text];
    return;
  }
  const FieldLook look = LookAtField(text);
  if (look.kind == FieldKind::kNumber) {
    AddNumber(look.value, text);
  } else {
    others_.Add(Xxh3(text));
  }
  if (look.kind == FieldKind::kCommaNumber) {
    ++fractions_;
    if (!look.may_have_thousands) ++sure_commas_;
  }
  if (look.kind != FieldKind::kNumber && (IsKnownMissing(text) || IsPlaceholder(text))) {
    Occurrence& occurrence = known_missing_[text];
    if (occurrence.count++ == 0) occurrence.first = place;
  } else {
    if (first_value_.empty()) first_value_ = text;
    OfKind& kind = kinds_[static_cast<size_t>(look.kind)];
    if (kind.count++ == 0) {
      kind.example = text;
      kind.first = place;
    }
  }
  if (known_ != nullptr && !known_->categories.empty() && !CategoryPlace(*known_, text)) {
    if (unknown_++ == 0) first_unknown_ = text;
  }
  if (!has_all_texts_) return;
  if (const auto found = texts_.find(text); found != texts_.end()) {
    ++found->second.count;
  } else if (texts_.size() < kMostTexts) {
    texts_.emplace(text, Occurrence{.count = 1, .first = place});
  } else {
    has_all_texts_ = false;
  }
}

}  // namespace dl::dataset
