// NumPy arrays, one per file (NEP 1, "A simple file format for NumPy arrays").
// dataset/readers/array/npy_reader.h reads the files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/sources/array_layout.h"
#include "job/sources/labels.h"
#include "job/sources/source_files.h"
#include "job/sources/weight_files.h"

namespace dl::job {

struct NpySource {
  static constexpr std::string_view kTag = "npy";

  Files features;
  // Each of these has one file for each file of `features`, in their order.
  std::optional<Files> labels;
  std::optional<Files> lengths;          // number of steps of each sequence
  std::optional<Files> weights = {};     // weight of each example in the loss
  std::vector<std::string> class_names;  // empty: the largest label decides the number of classes
  LabelType label_type = LabelType::kClass;
  std::optional<int64_t> no_label = {};  // label of an example without a class
  ArrayLayout layout = ArrayLayout::kAuto;

  // At most limits::kMaxClasses names. Default: the largest label decides the number of classes.
  NpySource& ClassNames(std::vector<std::string> names) {
    class_names = std::move(names);
    return *this;
  }
  // Sets the files with the number of steps of each example, one for each file of features.
  // Default: none, all sequences have all steps.
  NpySource& Lengths(Files files) {
    lengths = std::move(files);
    return *this;
  }
  // Sets the files that contain the weights of the examples in the loss. A weight is at least 0.
  // Default: no files, all weights are 1.
  NpySource& Weights(Files files) {
    weights = std::move(files);
    return *this;
  }
  // Labels are sequences of classes, for the loss ctc. Default: one class.
  NpySource& LabelsAreSequences() {
    label_type = LabelType::kClassSequence;
    return *this;
  }
  // Labels are numbers to predict. Default: classes.
  NpySource& LabelsAreNumbers() {
    label_type = LabelType::kNumber;
    return *this;
  }

  // Examples, or steps or pixels, with this label have no class: they count in no loss and no
  // metric. Default: none.
  NpySource& NoLabel(int64_t label) {
    no_label = label;
    return *this;
  }
  // Position of the channels. Default: kAuto.
  NpySource& Layout(ArrayLayout value) {
    layout = value;
    return *this;
  }
  // There are no labels. Default: classes.
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
                    .meaning = "File or files with the number of steps of each example, one file "
                               "for each of `features`. Makes them sequences. null = all steps"},
          self.lengths);
    visit(kWeightsField, self.weights);
    visit(kClassNamesField, self.class_names);
    visit(kLabelTypeField, self.label_type);
    visit(kNoLabelField, self.no_label);
    visit(kLayoutField, self.layout);
  }
  void Check(nn::Mistakes& mistakes) const;
};

}  // namespace dl::job
