// IDX, the format of MNIST (LeCun, "THE MNIST DATABASE"): two files for a set, its images or rows
// and their classes. dataset/readers/idx.h reads it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/sources/files.h"
#include "job/sources/labels.h"

namespace dl::job {

struct IdxSource {
  static constexpr std::string_view kTag = "idx";

  Files features;
  std::optional<Files> labels;           // as many, each of the features at its place
  std::vector<std::string> class_names;  // empty: as many classes as the largest label says
  LabelType label_type = LabelType::kClass;

  IdxSource& ClassNames(std::vector<std::string> names) {
    class_names = std::move(names);
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
  }
  void Check(nn::Mistakes& mistakes) const;
};

}  // namespace dl::job
