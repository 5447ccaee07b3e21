// Examples of NumPy's arrays, wherever these lie: one of features and one of labels at a time.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/readers/npy_array.h"
#include "dataset/readers/read_options.h"
#include "job/sources/labels.h"

namespace dl::dataset {

// Features [n, f] and [n] are tables, [n, h, w] images of one channel, [n, c, h, w] images. uint8
// and bool stay bytes, other types become float32, rounded; what is not finite then is an error.
// Labels are [n] classes, whole numbers from 0, of images perhaps [n, h, w], one for each pixel; or
// with label_type number [n] or [n, t] targets, with none there are none.
class NpyExamples {
 public:
  struct Labels {
    job::LabelType type = job::LabelType::kClass;
    std::vector<std::string> class_names;
  };
  // `options` has to outlive it.
  NpyExamples(Labels labels, const ReadOptions& options);

  // Behind the examples that are there, which have to be like these. Errors name file and byte.
  Status Append(NpyArray features, NpyArray labels);
  Status Append(NpyArray features);  // of which there are no labels
  // REQUIRES: something was appended.
  StatusOr<ExampleTable> Finish();

 private:
  Status AppendFeatures(NpyArray& features);
  Status AppendLabels(NpyArray& labels);
  bool IsMapOfPixels(const std::vector<int64_t>& shape) const;
  Status CheckLike(const NpyArray& features, const std::vector<int64_t>& shape) const;

  const Labels labels_;
  const ReadOptions& options_;
  ExampleTable table_;
  bool labels_of_pixels_ = false;
  std::string first_features_, first_labels_;  // files
};

}  // namespace dl::dataset
