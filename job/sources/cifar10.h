// The source of CIFAR-10 in its binary version (Krizhevsky, "Learning multiple layers of features
// from tiny images", 2009). dataset/readers/image/cifar_reader.h reads the files.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "job/sources/source_files.h"
#include "job/sources/weight_files.h"

namespace dl::job {

struct Cifar10Source {
  static constexpr std::string_view kTag = "cifar10";

  FileList paths;                     // batch files, paths or patterns
  std::optional<Files> weights = {};  // weight of each example in the loss

  // Sets the files that contain the weights of the examples in the loss. A weight is at least 0
  // (job/sources/weight_files.h). Default: no files, all weights are 1.
  Cifar10Source& Weights(Files files) {
    weights = std::move(files);
    return *this;
  }

  bool operator==(const Cifar10Source&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(kPathsField, self.paths);
    visit(kWeightsField, self.weights);
  }
  void Check(nn::Mistakes&) const {}
};

}  // namespace dl::job
