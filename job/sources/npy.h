// Arrays of NumPy, each in a file of its own (NEP 1, "A simple file format for NumPy arrays").
// dataset/readers/npy.h reads them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/sources/array_layout.h"
#include "job/sources/files.h"
#include "job/sources/labels.h"

namespace dl::job {

struct NpySource {
  static constexpr std::string_view kTag = "npy";

  Files features;
  std::optional<Files> labels;           // as many, each of the features at its place
  std::optional<Files> lengths;          // the same; of sequences with lengths of their own
  std::optional<Files> weights = {};     // the same; of the weights of examples in the loss
  std::vector<std::string> class_names;  // empty: as many classes as the largest label says
  LabelType label_type = LabelType::kClass;
  std::optional<int64_t> no_label = {};  // of an example without a class
  ArrayLayout layout = ArrayLayout::kAuto;

  NpySource& ClassNames(std::vector<std::string> names) {
    class_names = std::move(names);
    return *this;
  }
  NpySource& Lengths(Files files) {
    lengths = std::move(files);
    return *this;
  }
  NpySource& Weights(Files files) {
    weights = std::move(files);
    return *this;
  }
  NpySource& LabelsAreSequences() {
    label_type = LabelType::kClassSequence;
    return *this;
  }
  NpySource& LabelsAreNumbers() {
    label_type = LabelType::kNumber;
    return *this;
  }

  // Examples with this label have none.
  NpySource& NoLabel(int64_t label) {
    no_label = label;
    return *this;
  }
  NpySource& Layout(ArrayLayout value) {
    layout = value;
    return *this;
  }
  NpySource& WithoutLabels() {
    labels.reset();
    label_type = LabelType::kNone;
    return *this;
  }

  bool operator==(const NpySource&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(kFeaturesField, self.features);
    visit(kLabelsField, self.labels);
    visit(nn::Field{.key = "lengths",
                    .what = "lengths",
                    .max = limits::kMaxPath,
                    .meaning = "File or files with the number of steps of each example, one for "
                               "each of `features`, which are sequences then; null = all steps"},
          self.lengths);
    visit(nn::Field{.key = "weights",
                    .what = "weights",
                    .max = limits::kMaxPath,
                    .meaning = "File or files with the weight of each example in the loss, numbers "
                               "of at least 0, one file for each of `features`; null = none"},
          self.weights);
    visit(kClassNamesField, self.class_names);
    visit(kLabelTypeField, self.label_type);
    visit(kNoLabelField, self.no_label);
    visit(kLayoutField, self.layout);
  }
  void Check(nn::Mistakes& mistakes) const;
};

}  // namespace dl::job
