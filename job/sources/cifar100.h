// The source of CIFAR-100 in its binary version (Krizhevsky, "Learning multiple layers of features
// from tiny images", 2009). Each image has a fine label and a coarse label. The 100 fine classes
// are divided among 20 coarse classes, five in each. dataset/readers/image/cifar_reader.h reads the
// files.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "job/job_words.h"
#include "job/sources/source_files.h"
#include "job/sources/weight_files.h"

namespace dl::job {

enum class Cifar100Labels : uint8_t { kFine, kCoarse };
template <>
struct WordsOf<Cifar100Labels> {
  static constexpr std::string_view kWords[] = {"fine", "coarse"};
};

struct Cifar100Source {
  static constexpr std::string_view kTag = "cifar100";

  FileList paths;  // batch files, paths or patterns
  Cifar100Labels label_level = Cifar100Labels::kFine;
  std::optional<Files> weights = {};  // weight of each example in the loss

  // Uses the 20 coarse classes. Default: the 100 fine classes.
  Cifar100Source& CoarseLabels() {
    label_level = Cifar100Labels::kCoarse;
    return *this;
  }
  // Sets the files that contain the weights of the examples in the loss. A weight is at least 0
  // (job/sources/weight_files.h). Default: no files, all weights are 1.
  Cifar100Source& Weights(Files files) {
    weights = std::move(files);
    return *this;
  }

  bool operator==(const Cifar100Source&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(kPathsField, self.paths);
    visit(nn::Field{.key = "label_level",
                    .meaning = "Label to use: `fine` = 100 classes, `coarse` = 20 classes"},
          self.label_level);
    visit(kWeightsField, self.weights);
  }
  void Check(nn::Mistakes&) const {}
};

}  // namespace dl::job
