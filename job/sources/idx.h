// IDX, the format of MNIST (LeCun, "THE MNIST DATABASE"): two files for a set, its images or rows
// and their classes. dataset/readers/idx.h reads it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/sources/array_layout.h"
#include "job/sources/files.h"
#include "job/sources/labels.h"

namespace dl::job {

struct IdxSource {
  static constexpr std::string_view kTag = "idx";

  Files features;
  std::optional<Files> labels;           // as many, each of the features at its place
  std::vector<std::string> class_names;  // empty: as many classes as the largest label says
  LabelType label_type = LabelType::kClass;
  std::optional<int64_t> no_label = {};  // of an example without a class
  ArrayLayout layout = ArrayLayout::kAuto;

  IdxSource& ClassNames(std::vector<std::string> names) {
    class_names = std::move(names);
    return *this;
  }

  // Examples with this label have none.
  IdxSource& NoLabel(int64_t label) {
    no_label = label;
    return *this;
  }
  IdxSource& Layout(ArrayLayout value) {
    layout = value;
    return *this;
  }
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
  }
  void Check(nn::Mistakes& mistakes) const;
};

}  // namespace dl::job
