// NumPy arrays, several in one archive, as written by numpy.savez.
// dataset/readers/array/npz_reader.h reads the archives.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/sources/array_layout.h"
#include "job/sources/labels.h"
#include "job/sources/source_files.h"

namespace dl::job {

struct NpzSource {
  static constexpr std::string_view kTag = "npz";

  Files path;
  // Names of arrays in the archive, without ".npy".
  std::string feature_array = "x";
  std::string label_array = "y";
  std::optional<std::string> length_array = {};  // number of steps of each sequence
  std::optional<std::string> weight_array = {};  // weight of each example in the loss
  std::vector<std::string> class_names;  // empty: the largest label decides the number of classes
  LabelType label_type = LabelType::kClass;
  std::optional<int64_t> no_label = {};  // label of an example without a class
  ArrayLayout layout = ArrayLayout::kAuto;

  // Names of the arrays in the archive, without ".npy". Default: "x" and "y".
  NpzSource& Arrays(std::string features, std::string labels) {
    feature_array = std::move(features);
    label_array = std::move(labels);
    return *this;
  }
  // At most limits::kMaxClasses names. Default: the largest label decides the number of classes.
  NpzSource& ClassNames(std::vector<std::string> names) {
    class_names = std::move(names);
    return *this;
  }
  // Array with the number of steps of each example. Default: none, all sequences have all steps.
  NpzSource& Lengths(std::string array) {
    length_array = std::move(array);
    return *this;
  }
  // Array that contains the weights of the examples in the loss. A weight is at least 0. Default:
  // no array, all weights are 1.
  NpzSource& Weights(std::string array) {
    weight_array = std::move(array);
    return *this;
  }
  // Labels are sequences of classes, for the loss ctc. Default: one class.
  NpzSource& LabelsAreSequences() {
    label_type = LabelType::kClassSequence;
    return *this;
  }
  // Labels are numbers to predict. Default: classes.
  NpzSource& LabelsAreNumbers() {
    label_type = LabelType::kNumber;
    return *this;
  }

  // Examples, or steps or pixels, with this label have no class: they count in no loss and no
  // metric. Default: none.
  NpzSource& NoLabel(int64_t label) {
    no_label = label;
    return *this;
  }
  // Position of the channels. Default: kAuto.
  NpzSource& Layout(ArrayLayout value) {
    layout = value;
    return *this;
  }
  // There are no labels. Default: classes.
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
    visit(nn::Field{.key = "length_array",
                    .what = "length_array",
                    .max = limits::kMaxPath,
                    .meaning = "Name of the array with the number of steps of each example. Makes "
                               "them sequences. null = all steps"},
          self.length_array);
    visit(nn::Field{.key = "weight_array",
                    .what = "weight_array",
                    .max = limits::kMaxPath,
                    .meaning = "Name of the array with the weight of each example in the loss (at "
                               "least 0); null = none"},
          self.weight_array);
    visit(kClassNamesField, self.class_names);
    visit(kLabelTypeField, self.label_type);
    visit(kNoLabelField, self.no_label);
    visit(kLayoutField, self.layout);
  }
  void Check(nn::Mistakes& mistakes) const {
    CheckNames(class_names, label_type, mistakes);
    CheckNoLabel(no_label, label_type, mistakes);
  }
};

}  // namespace dl::job
