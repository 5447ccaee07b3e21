#include "dataset/readers/label_warnings.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "dataset/readers/alike_texts.h"
#include "dataset/readers/numbers.h"

namespace dl::dataset {
namespace {

std::string ClassName(const Schema& schema, size_t index) {
  return index < schema.class_names().size() ? schema.class_names()[index] : absl::StrCat(index);
}

// Returns for each class whether an example has it; nothing if labels are no classes.
std::vector<bool> OccurringClasses(const ExampleTable& table) {
  const Schema& schema = table.schema;
  std::vector<bool> occurs(schema.label_kind() == LabelKind::kClass ? schema.classes() : 0);
  for (const int32_t label : table.classes) {
    if (label >= 0 && !occurs.empty()) occurs[label] = true;
  }
  return occurs;
}

// Classes without examples: their number, and the names of the first ones.
struct EmptyClasses {
  int64_t count = 0;
  std::string shown;
};
EmptyClasses FindEmptyClasses(const Schema& schema, const std::vector<bool>& occurs) {
  EmptyClasses empty;
  constexpr int64_t kMost = 5;
  for (size_t i = 0; i < occurs.size(); ++i) {
    if (occurs[i] || empty.count++ >= kMost) continue;
    absl::StrAppend(&empty.shown, empty.shown.empty() ? "" : ", ", ClassName(schema, i));
  }
  if (empty.count > kMost) empty.shown += ", ...";
  return empty;
}

// Adds a warning if all labels are equal. Numbers may also have become equal by rounding, and then
// another warning says so.
void WarnOfOneLabel(const std::vector<bool>& occurs, const PrecisionWatch& targets,
                    ExampleTable& table) {
  if (table.examples <= 1) return;
  const int64_t size = targets.Losses().empty() ? table.schema.target_size() : 0;
  for (int64_t i = 0; i < size; ++i) {
    bool is_constant = true;
    for (size_t at = i; at < table.targets.size(); at += size)
      is_constant = is_constant && table.targets[at] == table.targets[i];
    if (!is_constant) continue;
    const double origin =
        std::ssize(table.schema.target_origins()) > i ? table.schema.target_origins()[i] : 0.0;
    table.warnings.push_back(absl::StrCat(size > 1 ? absl::StrCat("number ", i, " of all labels")
                                                   : "the number to predict of all examples",
                                          " is ", NumberText(table.targets[i] + origin),
                                          ": a model has nothing to predict"));
  }
  if (std::count(occurs.begin(), occurs.end(), true) != 1) return;
  const size_t only = std::find(occurs.begin(), occurs.end(), true) - occurs.begin();
  table.warnings.push_back(absl::StrCat("all labels are of one class, ",
                                        PrintableName(ClassName(table.schema, only)),
                                        ": a model has nothing to tell apart"));
}

}  // namespace

void WarnOfAlike(std::string_view what, const std::vector<std::string>& texts,
                 ExampleTable& table) {
  constexpr size_t kMost = 5;
  size_t told = 0;
  for (const AlikeTexts& alike : FindAlikeTexts(texts)) {
    if (++told > kMost) break;
    table.warnings.push_back(absl::StrCat(std::string(what), " \"", Excerpt(alike.first),
                                          "\" and \"", Excerpt(alike.second), "\" differ in ",
                                          std::string(alike.difference), " alone"));
  }
}

void WarnOfLabels(const PrecisionWatch& targets, ExampleTable& table) {
  const Schema& schema = table.schema;
  const std::vector<bool> occurs = OccurringClasses(table);
  WarnOfOneLabel(occurs, targets, table);
  if (occurs.empty() || schema.labels_per_example() != 1) return;
  WarnOfAlike("the classes", table.schema.class_names(), table);
  constexpr int64_t kManyClasses = 20;
  const auto used = std::count(occurs.begin(), occurs.end(), true);
  if (used > kManyClasses && 2 * used > table.examples) {
    table.warnings.push_back(
        absl::StrCat(used, " classes in ", table.examples,
                     " examples: most classes have one example. Where the ",
                     "labels are numbers to predict, set label_type to number (--regression)"));
  }
  const EmptyClasses empty = FindEmptyClasses(schema, occurs);
  if (empty.count == 0) return;
  const bool from_one = empty.count == 1 && !occurs[0] && table.schema.class_names().empty();
  table.warnings.push_back(absl::StrCat(
      empty.count == 1 ? "a class has"
                       : absl::StrCat(empty.count, " of the ", occurs.size(), " classes have"),
      " no example: ", empty.shown,
      from_one ? ". The labels seem to count from 1, and classes count from 0" : ""));
}

void WarnOfUntestedClasses(ExampleTable& table) {
  const Schema& schema = table.schema;
  if (schema.label_kind() != LabelKind::kClass || schema.labels_per_example() != 1) return;
  const EmptyClasses empty = FindEmptyClasses(schema, OccurringClasses(table));
  if (empty.count == 0) return;
  table.warnings.push_back(absl::StrCat(
      "the test set has no example of ",
      empty.count == 1 ? "a class" : absl::StrCat(empty.count, " classes"), ": ", empty.shown,
      ". Its accuracy says nothing about ", empty.count == 1 ? "it" : "them"));
}

}  // namespace dl::dataset
