// Classes by their names, as text has them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/example_table.h"

namespace dl::dataset {

// The distinct labels in order become the classes. If all are numbers, labels of one value ("7",
// "07", "7.0") are one class. The order is that of values when all are whole, else that of bytes. A
// test split has the training split's classes.
class LabelTexts {
 public:
  // `training`: the training split's schema for a test split, else null.
  explicit LabelTexts(const Schema* training);

  // The class of a label, final once Finish() was called. Errors, without their place: not UTF-8,
  // a class that the training split has not, more than limits::kMaxClasses.
  StatusOr<int32_t> Add(const std::string& text);
  // Numbers the classes of the table, which came from Add, for good, and names them in its schema.
  void Finish(ExampleTable& table) const;

 private:
  // What stands behind a class of the training split there: "." of "a.".
  std::string SuffixBehindAClass(const std::string& text) const;

  const Schema* training_;
  std::vector<std::string> training_names_;
  std::map<std::string, int32_t> training_classes_;
  std::map<std::string, int32_t> seen_;  // provisional, in order of appearance
};

// The first of them, for a remedy: "a, b, ...".
std::string FirstOf(const std::vector<std::string>& names);

}  // namespace dl::dataset
