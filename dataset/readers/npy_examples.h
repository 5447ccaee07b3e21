// Examples of NumPy's arrays, wherever these lie: one of features and one of labels at a time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/readers/npy_array.h"
#include "dataset/readers/read_options.h"
#include "job/sources/array_layout.h"
#include "job/sources/labels.h"

namespace dl::dataset {

// Features [n, f] and [n] are tables, [n, h, w] images of one channel, [n, c, h, w] images. uint8
// and bool stay bytes, other types become float32, rounded; what is not finite then is an error.
// Channels may stand last, as the layout says. Labels are [n] or [n, 1] classes, whole numbers from
// 0, of images perhaps [n, h, w], one for each pixel; or
// with label_type number [n] or [n, t] targets, with none there are none. With lengths [n], or
// classes [n, steps], or targets [n, steps, t], features [n, steps, f] are sequences; what features
// and classes are behind an example's last step is not looked at. With label_type class_sequence
// labels are [n, most] classes in their order, -1 after the last one. Weights are [n] or [n, 1]
// numbers of at least 0.
class NpyExamples {
 public:
  struct Labels {
    job::LabelType type = job::LabelType::kClass;
    std::vector<std::string> class_names;
    std::optional<int64_t> none = {};  // the label of an example without a class
  };
  // `options` has to outlive it.
  NpyExamples(Labels labels, job::ArrayLayout layout, const ReadOptions& options);

  struct Arrays {
    NpyArray features;
    std::optional<NpyArray> labels = {}, lengths = {}, weights = {};
  };
  // Behind the examples that are there, which have to be like these. Errors name file and byte.
  Status Append(Arrays arrays);
  // REQUIRES: something was appended.
  StatusOr<ExampleTable> Finish();

 private:
  Status AppendLengths(const NpyArray& features, NpyArray& lengths);
  Status AppendFeatures(NpyArray& features, bool are_sequences);
  Status AppendLabels(NpyArray& labels);
  Status AppendWeights(const NpyArray& features, NpyArray& weights);
  Status AppendNumbers(NpyArray& labels);
  Status AppendClasses(NpyArray& labels);
  Status AppendClassSequences(NpyArray& labels);
  Status CheckLikeFirst(const NpyArray& labels, std::string_view what);
  class BehindEnds;
  // Of the last `rows` examples, of which a step has so many values.
  BehindEnds BehindEndsOf(int64_t rows, int64_t values) const;
  bool IsMapOfPixels(const std::vector<int64_t>& shape) const;
  Status CheckLike(const NpyArray& features, const std::vector<int64_t>& shape) const;

  const Labels labels_;
  const job::ArrayLayout layout_;
  const ReadOptions& options_;
  ExampleTable table_;
  int64_t values_of_labels_ = 0;                               // of an example's
  std::string first_features_, first_labels_, first_weights_;  // files
};

}  // namespace dl::dataset
