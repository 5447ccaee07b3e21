// CIFAR-10, binary version (Krizhevsky, "Learning multiple layers of features from tiny images",
// 2009). Read by dataset/readers/image/cifar_reader.h.
#pragma once

#include <string_view>

#include "job/sources/source_files.h"

namespace dl::job {

struct Cifar10Source {
  static constexpr std::string_view kTag = "cifar10";

  FileList paths;  // batch files, paths or patterns

  bool operator==(const Cifar10Source&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(kPathsField, self.paths);
  }
  void Check(nn::Mistakes&) const {}
};

}  // namespace dl::job
