// IDX, the format of MNIST (LeCun, "THE MNIST DATABASE"): two files for a set, its images or rows
// and their classes. dataset/readers/idx.h reads it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "job/sources/files.h"
#include "job/sources/labels.h"

namespace dl::job {

struct IdxSource {
  static constexpr std::string_view kTag = "idx";

  Files features;
  Files labels;                          // as many, each of the features at its place
  std::vector<std::string> class_names;  // empty: as many classes as the largest label says

  IdxSource& ClassNames(std::vector<std::string> names) {
    class_names = std::move(names);
    return *this;
  }

  bool operator==(const IdxSource&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(kFeaturesField, self.features);
    visit(kLabelsField, self.labels);
    visit(kClassNamesField, self.class_names);
  }
  void Check(nn::Mistakes& mistakes) const { CheckClassNames(class_names, mistakes); }
};

}  // namespace dl::job
