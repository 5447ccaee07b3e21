#include "dataset/readers/training_labels.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "dataset/readers/label_texts.h"
#include "dataset/readers/numbers.h"

namespace dl::dataset {
namespace {

using Numbers = std::map<int64_t, int32_t>;  // number of the class, by label

// Returns the classes whose names are whole numbers, by their names. Returns nullopt if a name is
// no whole number, or if two names are the same number.
std::optional<Numbers> WholeNames(const std::vector<std::string>& names) {
  Numbers numbers;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::optional<int64_t> value = WholeNumber(names[i]);
    if (!value || !numbers.emplace(*value, static_cast<int32_t>(i)).second) return std::nullopt;
  }
  return numbers;
}

void Replace(const Numbers& numbers, std::span<int32_t> labels) {
  for (int32_t& label : labels) {
    if (const auto found = numbers.find(label); label != kNoLabel && found != numbers.end())
      label = found->second;
  }
}

Status ByStatedNames(const Schema& training, const std::vector<std::string>& class_names,
                     const std::string& path, std::span<int32_t> labels) {
  std::map<std::string_view, int32_t> known;
  for (size_t i = 0; i < training.class_names().size(); ++i)
    known.emplace(training.class_names()[i], static_cast<int32_t>(i));
  Numbers numbers;
  for (size_t i = 0; i < class_names.size(); ++i) {
    if (const auto found = known.find(class_names[i]); found != known.end())
      numbers.emplace(static_cast<int64_t>(i), found->second);
  }
  for (const int32_t label : labels) {
    if (label == kNoLabel || numbers.contains(label)) continue;
    const bool is_named = label >= 0 && label < std::ssize(class_names);
    return InvalidArgument(
        {.message = is_named ? absl::StrCat("the training split has no class \"",
                                            Excerpt(class_names[label]), "\"")
                             : absl::StrCat("label ", label, " has no name in class_names"),
         .where = path,
         .remedy = absl::StrCat("Its classes are ", FirstOf(training.class_names()))});
  }
  Replace(numbers, labels);
  return absl::OkStatus();
}

}  // namespace

Status NumberLikeTraining(const Schema& training, const std::vector<std::string>& class_names,
                          const std::string& path, std::span<int32_t> labels) {
  if (training.class_names().empty() || class_names == training.class_names())
    return absl::OkStatus();
  if (!class_names.empty()) return ByStatedNames(training, class_names, path, labels);
  const std::optional<Numbers> named = WholeNames(training.class_names());
  if (!named) return absl::OkStatus();
  bool are_numbers = true, are_names = true;
  std::optional<int32_t> differs;  // a label that is another class as a name
  for (const int32_t label : labels) {
    if (label == kNoLabel) continue;
    are_numbers = are_numbers && label >= 0 && label < training.classes();
    const auto found = named->find(label);
    are_names = are_names && found != named->end();
    if (!differs && (found == named->end() || found->second != label)) differs = label;
  }
  if (!are_names || !differs) return absl::OkStatus();
  if (are_numbers) {
    return InvalidArgument(
        {.message = absl::StrCat("label ", *differs, " is the name of a class of the training ",
                                 "split, and also the number of another class, \"",
                                 Excerpt(training.class_names()[*differs]), "\""),
         .where = path,
         .remedy = "Describe the data in a .json file with the key class_names, which lists the "
                   "name of each label from label 0"});
  }
  Replace(*named, labels);
  return absl::OkStatus();
}

}  // namespace dl::dataset
