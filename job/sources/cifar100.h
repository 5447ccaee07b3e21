// CIFAR-100, binary version (Krizhevsky, "Learning multiple layers of features from tiny images",
// 2009): each image has a class of 100, and one of 20 that hold five of them each.
// dataset/readers/cifar.h reads it.
#pragma once

#include <cstdint>
#include <string_view>

#include "job/sources/files.h"

namespace dl::job {

enum class Cifar100Labels : uint8_t { kFine, kCoarse };

// What nn/conf/field.h asks of a member's type.
void ReadValue(JsonObjectReader& reader, std::string_view key, Cifar100Labels& out);
Json ToJson(Cifar100Labels labels);  // "fine", "coarse"
inline void CheckValue(const nn::Field&, Cifar100Labels, nn::Mistakes&) {}
void DescribeValue(const nn::Field& field, Cifar100Labels labels, std::vector<nn::KeyRow>& rows);

struct Cifar100Source {
  static constexpr std::string_view kTag = "cifar100";

  FileList paths;
  Cifar100Labels label_level = Cifar100Labels::kFine;

  Cifar100Source& CoarseLabels() {
    label_level = Cifar100Labels::kCoarse;
    return *this;
  }

  bool operator==(const Cifar100Source&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(kPathsField, self.paths);
    visit(nn::Field{.key = "label_level",
                    .meaning = "Which of an image's two labels: one of 100 classes, or of 20"},
          self.label_level);
  }
  void Check(nn::Mistakes&) const {}
};

}  // namespace dl::job
