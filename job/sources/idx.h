// IDX, the format of MNIST (LeCun, "THE MNIST DATABASE"): one file with images or rows, and one
// file with their classes. dataset/readers/array/idx_reader.h reads the files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "job/sources/array_layout.h"
#include "job/sources/labels.h"
#include "job/sources/source_files.h"
#include "job/sources/weight_files.h"

namespace dl::job {

struct IdxSource {
  static constexpr std::string_view kTag = "idx";

  Files features;
  std::optional<Files> labels;           // one for each file of `features`, in their order
  std::vector<std::string> class_names;  // empty: the largest label decides the number of classes
  LabelType label_type = LabelType::kClass;
  std::optional<int64_t> no_label = {};  // label of an example without a class
  ArrayLayout layout = ArrayLayout::kAuto;
  std::optional<Files> weights = {};  // weight of each example in the loss

  // At most limits::kMaxClasses names. Default: the largest label decides the number of classes.
  IdxSource& ClassNames(std::vector<std::string> names) {
    class_names = std::move(names);
    return *this;
  }

  // Examples with this label have no class: they count in no loss and no metric. Default: none.
  IdxSource& NoLabel(int64_t label) {
    no_label = label;
    return *this;
  }
  // Position of the channels. Default: kAuto.
  IdxSource& Layout(ArrayLayout value) {
    layout = value;
    return *this;
  }
  // Sets the files that contain the weights of the examples in the loss. A weight is at least 0
  // (job/sources/weight_files.h). Default: no files, all weights are 1.
  IdxSource& Weights(Files files) {
    weights = std::move(files);
    return *this;
  }
  // There are no labels. Default: classes.
  IdxSource& WithoutLabels() {
    labels.reset();
    label_type = LabelType::kNone;
    return *this;
  }

  bool operator==(const IdxSource&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(kFeaturesField, self.features);
    visit(kLabelsField, self.labels);
    visit(kClassNamesField, self.class_names);
    visit(kLabelTypeField, self.label_type);
    visit(kNoLabelField, self.no_label);
    visit(kLayoutField, self.layout);
    visit(kWeightsField, self.weights);
  }
  void Check(nn::Mistakes& mistakes) const;
};

}  // namespace dl::job
