// Arrays of NumPy, several in one archive, as numpy.savez writes them. dataset/readers/npz.h reads
// them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "job/sources/files.h"
#include "job/sources/labels.h"

namespace dl::job {

struct NpzSource {
  static constexpr std::string_view kTag = "npz";

  Files path;
  std::string feature_array = "x";  // names in the archive, without ".npy"
  std::string label_array = "y";
  std::vector<std::string> class_names;  // empty: as many classes as the largest label says
  LabelType label_type = LabelType::kClass;

  NpzSource& Arrays(std::string features, std::string labels) {
    feature_array = std::move(features);
    label_array = std::move(labels);
    return *this;
  }
  NpzSource& ClassNames(std::vector<std::string> names) {
    class_names = std::move(names);
    return *this;
  }
  NpzSource& LabelsAreNumbers() {
    label_type = LabelType::kNumber;
    return *this;
  }

  NpzSource& WithoutLabels() {
    label_type = LabelType::kNone;
    return *this;
  }

  bool operator==(const NpzSource&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(kPathField, self.path);
    visit(nn::Field{.key = "feature_array",
                    .what = "feature_array",
                    .max = limits::kMaxPath,
                    .meaning = "Name of the array with the images or rows"},
          self.feature_array);
    visit(nn::Field{.key = "label_array",
                    .what = "label_array",
                    .max = limits::kMaxPath,
                    .meaning = "Name of the array with the labels"},
          self.label_array);
    visit(kClassNamesField, self.class_names);
    visit(kLabelTypeField, self.label_type);
  }
  void Check(nn::Mistakes& mistakes) const { CheckNames(class_names, label_type, mistakes); }
};

}  // namespace dl::job
