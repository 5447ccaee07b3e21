#include "dataset/readers/array/npy_reader.h"

#include "dataset/readers/array/npy_examples.h"
#include "dataset/readers/source_file.h"
#include "dataset/readers/source_paths.h"

namespace dl::dataset {
namespace {

StatusOr<NpyArray> OpenArray(const std::string& path, const ReadOptions& options) {
  DL_ASSIGN_OR_RETURN(SourceFile file, SourceFile::Open(path, kNpyMagic));
  return NpyArray::Open(std::move(file), options.memory.folder);
}

}  // namespace

StatusOr<ExampleTable> ReadNpy(const job::NpySource& source, const ReadOptions& options) {
  DL_ASSIGN_OR_RETURN(const std::vector<std::string> features, SourcePaths(source.features));
  const bool labelled = source.labels && options.labels == LabelColumns::kAsTheSourceSays;
  std::vector<std::string> labels, lengths, weights;
  if (labelled) {
    DL_ASSIGN_OR_RETURN(labels, PathsBeside(features, *source.labels, "labels"));
  }
  if (source.lengths) {
    DL_ASSIGN_OR_RETURN(lengths, PathsBeside(features, *source.lengths, "lengths"));
  }
  if (labelled && source.weights) {
    DL_ASSIGN_OR_RETURN(weights, PathsBeside(features, *source.weights, "weights"));
  }
  NpyExamples examples(
      {.type = source.label_type, .class_names = source.class_names, .none = source.no_label},
      source.layout, options);
  for (size_t i = 0; i < features.size(); ++i) {
    DL_ASSIGN_OR_RETURN(NpyArray own, OpenArray(features[i], options));
    NpyExamples::Arrays arrays{.features = std::move(own)};
    if (labelled) {
      DL_ASSIGN_OR_RETURN(arrays.labels, OpenArray(labels[i], options));
    }
    if (source.lengths) {
      DL_ASSIGN_OR_RETURN(arrays.lengths, OpenArray(lengths[i], options));
    }
    if (labelled && source.weights) {
      DL_ASSIGN_OR_RETURN(arrays.weights, OpenArray(weights[i], options));
    }
    DL_RETURN_IF_ERROR(examples.Append(std::move(arrays)));
  }
  return examples.Finish();
}

}  // namespace dl::dataset
