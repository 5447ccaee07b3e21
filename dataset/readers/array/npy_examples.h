// Builds examples from NumPy arrays in files or archives: one array of features and one of labels
// at a time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/readers/array/after_ends.h"
#include "dataset/readers/array/npy_array.h"
#include "dataset/readers/read_options.h"
#include "job/sources/array_layout.h"
#include "job/sources/labels.h"

namespace dl::dataset {

// Shapes of features:
//   - [n, f] and [n]: rows of a table.
//   - [n, steps, f]: sequences, if there are lengths [n] or labels for each step. Without labels
//     and lengths, sequences if the training split has sequences.
//   - [n, h, w]: otherwise images with one channel.
//   - [n, c, h, w]: images, and [n, c, d, h, w]: volumes. Channels are last if the layout says so.
//
// uint8 and bool stay bytes. Other types are rounded to float32; a value that is not finite then is
// an error.
//
// Shapes of labels, by label_type:
//   - class: [n] or [n, 1] whole numbers from 0; [n, steps] for sequences; [n, h, w] for pixels.
//   - number: [n] or [n, t] targets; [n, steps, t] for sequences.
//   - class_sequence: [n, longest] or [n] classes in order, -1 after the last class.
//   - none: no labels.
//
// Features and labels after the last step of an example are ignored. Weights are [n] or [n, 1]
// numbers of at least 0.
class NpyExamples {
 public:
  struct Labels {
    job::LabelType type = job::LabelType::kClass;
    std::vector<std::string> class_names;
    std::optional<int64_t> none = {};  // number that means "no class"
  };
  // `options` must outlive this object.
  NpyExamples(Labels labels, job::ArrayLayout layout, const ReadOptions& options);

  struct Arrays {
    NpyArray features;
    std::optional<NpyArray> labels = {}, lengths = {}, weights = {};
  };
  // Appends examples. Features must have the shape of those before, and be bytes if those are.
  // Labels must have as many values for each example. Returns DataLoss for arrays that do not fit
  // each other or the examples before, and for invalid values of features, lengths, labels and
  // weights. The error names the file and the byte. It names no byte for a value of an array in
  // Fortran order. Also returns the errors of NpyArray.
  Status Append(Arrays arrays);
  // Returns the table. Returns InvalidArgument, which names the file, for a label that is not a
  // class, if all weights are 0, and if the table differs from the training split. REQUIRES: at
  // least one call of Append succeeded.
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
  // For the last `rows` examples. `values` is the number of values of a step.
  AfterEnds AfterEndsOf(int64_t rows, int64_t values) const;
  bool IsMapOfPixels(const std::vector<int64_t>& shape) const;
  Status CheckLike(const NpyArray& features, const std::vector<int64_t>& shape) const;

  const Labels labels_;
  const job::ArrayLayout layout_;
  const ReadOptions& options_;
  ExampleTable table_;
  // Number of label values of an example.
  int64_t values_of_labels_ = 0;
  int64_t inexact_ = 0;  // number of features that double does not represent
  std::string first_features_, first_labels_, first_weights_;  // paths, for errors
};

}  // namespace dl::dataset
