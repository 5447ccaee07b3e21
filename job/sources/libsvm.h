// Sparse rows as text, the format of LIBSVM and SVMlight: `label index:value index:value ...`. Read
// by dataset/readers/table/libsvm_reader.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "job/sources/labels.h"
#include "job/sources/source_files.h"
#include "job/sources/weight_files.h"

namespace dl::job {

struct LibsvmSource {
  static constexpr std::string_view kTag = "libsvm";

  Files path;
  int64_t feature_count = 0;  // 0: the last feature is that of the training set's largest index
  int64_t index_base = 1;     // index of the first feature, 0 or 1
  LabelType label_type = LabelType::kClass;
  std::optional<Files> weights = {};  // weight of each example in the loss

  // Number of features, up to limits::kMaxExtent. Default: 0, which means that the largest index in
  // the training set belongs to the last feature.
  LibsvmSource& FeatureCount(int64_t count) {
    feature_count = count;
    return *this;
  }
  // The first feature has index 0. Default: 1.
  LibsvmSource& IndicesFromZero() {
    index_base = 0;
    return *this;
  }
  // Labels are numbers to predict. Default: classes.
  LibsvmSource& LabelsAreNumbers() {
    label_type = LabelType::kNumber;
    return *this;
  }
  // Sets the files that contain the weights of the examples in the loss. A weight is at least 0
  // (job/sources/weight_files.h). Default: no files, all weights are 1.
  LibsvmSource& Weights(Files files) {
    weights = std::move(files);
    return *this;
  }

  bool operator==(const LibsvmSource&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(kPathField, self.path);
    visit(nn::Field{.key = "feature_count",
                    .what = "feature_count",
                    .unit = "features",
                    .max = limits::kMaxExtent,
                    .meaning = "Number of features; 0 = all up to the largest index of the "
                               "training set, for both sets"},
          self.feature_count);
    visit(nn::Field{.key = "index_base",
                    .what = "index_base",
                    .max = 1,
                    .meaning = "Index of the first feature"},
          self.index_base);
    visit(kLabelTypeField, self.label_type);
    visit(kWeightsField, self.weights);
  }
  void Check(nn::Mistakes& mistakes) const {
    RefuseClassSequence(label_type, mistakes);
    if (label_type != LabelType::kNone) return;
    mistakes.Add(
        "label_type is \"none\", but each line of libsvm begins with a label",
        "Set it to the type of the labels; a model without losses over labels ignores them");
  }
};

}  // namespace dl::job
