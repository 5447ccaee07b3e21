// Maps class labels given as text to class numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "dataset/example_table.h"

namespace dl::dataset {

// The distinct labels are the classes. If all labels are numbers, labels of equal value ("7", "07",
// "7.0") are one class. The classes are sorted by value if all are whole numbers, otherwise by
// bytes. A test split has the classes of the training split.
class LabelTexts {
 public:
  // `training` is the schema of the training split for a test split, otherwise null. It must
  // outlive this object.
  explicit LabelTexts(const Schema* training);

  // Returns the class of a label. Without a training split it is provisional until Finish() is
  // called. Returns InvalidArgument if the label is not UTF-8, if the training split lacks the
  // class, or if there are more than limits::kMaxClasses distinct texts ("7", "07" and "7.0" are
  // three). Its `where` is empty; the caller adds file and row.
  StatusOr<int32_t> Add(std::string_view text);
  // Replaces the provisional classes in the table by the final numbers, and writes the class names
  // to its schema. REQUIRES: Add() returned all classes of the table.
  void Finish(ExampleTable& table) const;

 private:
  // Returns the bytes, at most 3, that follow a class of the training split in `text`, such as "."
  // in "a."; "" for other texts. The error of Add() suggests them as `label_suffix`.
  std::string SuffixAfterClass(const std::string& text) const;

  const Schema* training_;
  std::vector<std::string> training_names_;
  using Classes = absl::flat_hash_map<std::string, int32_t>;
  static Classes::const_iterator Find(const Classes& classes, std::string_view text) {
    return classes.find(absl::string_view(text.data(), text.size()));
  }
  Classes training_classes_;
  Classes seen_;  // provisional numbers, in order of appearance
};

// Returns the first ten names for a remedy: "a, b, ...".
std::string FirstOf(const std::vector<std::string>& names);

}  // namespace dl::dataset
