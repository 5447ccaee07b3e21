#include "dataset/readers/label_texts.h"

#include <algorithm>
#include <map>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/limits.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "dataset/readers/alike_texts.h"
#include "dataset/readers/numbers.h"

namespace dl::dataset {
namespace {

std::string CanonicalLabel(const std::string& text) { return CanonicalNumber(text).value_or(text); }

// Returns ", but "a", from which it differs in the case of letters alone", or "" if no class is
// alike.
std::string ClassLike(std::vector<std::string> classes, const std::string& text) {
  classes.push_back(text);
  for (const AlikeTexts& alike : FindAlikeTexts(classes)) {
    if (alike.second != text) continue;
    return absl::StrCat(", but \"", Excerpt(alike.first), "\", from which it differs in ",
                        std::string(alike.difference), " alone");
  }
  return "";
}

bool IsBefore(const std::string& a, const std::string& b) {
  return *WholeNumber(a) < *WholeNumber(b);
}

}  // namespace

std::string FirstOf(const std::vector<std::string>& names) {
  constexpr size_t kMost = 10;
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    if (shown.size() == kMost) break;
    shown.push_back(Excerpt(name));
  }
  return absl::StrCat(absl::StrJoin(shown, ", "), names.size() > kMost ? ", ..." : "");
}

LabelTexts::LabelTexts(const Schema* training) : training_(training) {
  if (training_ == nullptr) return;
  training_names_ = training_->class_names();
  // Classes without names are named by their numbers.
  for (auto i = static_cast<int64_t>(training_names_.size()); i < training_->classes(); ++i)
    training_names_.push_back(absl::StrCat(i));
  for (size_t i = 0; i < training_names_.size(); ++i)
    training_classes_[training_names_[i]] = static_cast<int32_t>(i);
}

std::string LabelTexts::SuffixAfterClass(const std::string& text) const {
  constexpr size_t kLongest = 3;
  if (CanonicalNumber(text)) return "";  // "0.5" is not the class "0"
  for (size_t length = 1; length <= kLongest && length < text.size(); ++length) {
    const size_t end = text.size() - length;
    if (training_classes_.contains(text.substr(0, end))) return text.substr(end);
  }
  return "";
}

StatusOr<int32_t> LabelTexts::Add(std::string_view text) {
  const Classes& known = training_ != nullptr ? training_classes_ : seen_;
  if (const auto found = Find(known, text); found != known.end()) return found->second;
  if (!IsUtf8(text)) {
    return InvalidArgument(
        {.message = "the label is not UTF-8", .remedy = "Save the file as UTF-8"});
  }
  if (training_ != nullptr) {
    const auto found = training_classes_.find(CanonicalLabel(std::string(text)));
    if (found != training_classes_.end()) return found->second;
    const std::string suffix = SuffixAfterClass(std::string(text));
    const std::string alike = ClassLike(training_names_, std::string(text));
    return InvalidArgument(
        {.message = absl::StrCat("the training split has no class \"", Excerpt(text), "\"", alike),
         .remedy = absl::StrCat(
             "Its classes are ", FirstOf(training_names_),
             suffix.empty()
                 ? ""
                 : absl::StrCat("; for a table, set label_suffix to \"", suffix, "\""))});
  }
  const auto label = static_cast<int32_t>(seen_.size());
  seen_.emplace(text, label);
  if (std::ssize(seen_) <= limits::kMaxClasses) return label;
  return InvalidArgument(
      {.message = absl::StrCat("the labels have more than ", limits::kMaxClasses, " classes"),
       .remedy = "Check which column has the labels, or set label_type to \"number\""});
}

void LabelTexts::Finish(ExampleTable& table) const {
  if (training_ != nullptr) {
    table.schema.SetClasses(training_->classes(), training_->class_names());
    return;
  }
  const bool numbers = std::all_of(seen_.begin(), seen_.end(),
                                   [](const auto& item) { return IsFiniteNumber(item.first); });
  std::vector<std::string> names;
  for (const auto& [text, provisional] : seen_)
    names.push_back(numbers ? CanonicalLabel(text) : text);
  const bool whole = std::all_of(names.begin(), names.end(), [](const std::string& name) {
    return WholeNumber(name).has_value();
  });
  if (whole) {
    std::sort(names.begin(), names.end(), IsBefore);
  } else {
    std::sort(names.begin(), names.end());
  }
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::map<std::string, int32_t> number;
  for (size_t i = 0; i < names.size(); ++i) number[names[i]] = static_cast<int32_t>(i);
  std::vector<int32_t> final_number(seen_.size());
  for (const auto& [text, provisional] : seen_)
    final_number[provisional] = number[numbers ? CanonicalLabel(text) : text];
  for (int32_t& label : table.classes) label = final_number[label];
  const int64_t classes = std::ssize(names);
  table.schema.SetClasses(classes, std::move(names));
}

}  // namespace dl::dataset
