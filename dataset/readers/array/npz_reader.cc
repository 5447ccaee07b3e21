#include "dataset/readers/array/npz_reader.h"

#include "dataset/readers/array/npy_examples.h"
#include "dataset/readers/source_file.h"
#include "dataset/readers/source_paths.h"

namespace dl::dataset {
namespace {

StatusOr<NpyArray> OpenArray(const std::string& path, const std::string& name,
                             const ReadOptions& options) {
  DL_ASSIGN_OR_RETURN(SourceFile file, SourceFile::OpenZipEntry(path, name + ".npy"));
  return NpyArray::Open(std::move(file), options.memory.folder);
}

}  // namespace

StatusOr<ExampleTable> ReadNpz(const job::NpzSource& source, const ReadOptions& options) {
  DL_ASSIGN_OR_RETURN(const std::vector<std::string> paths, SourcePaths(source.path));
  const bool labelled = source.label_type != job::LabelType::kNone &&
                        options.labels == LabelColumns::kAsTheSourceSays;
  NpyExamples examples(
      {.type = source.label_type, .class_names = source.class_names, .none = source.no_label},
      source.layout, options);
  for (const std::string& path : paths) {
    DL_ASSIGN_OR_RETURN(NpyArray features, OpenArray(path, source.feature_array, options));
    NpyExamples::Arrays arrays{.features = std::move(features)};
    if (labelled) {
      DL_ASSIGN_OR_RETURN(arrays.labels, OpenArray(path, source.label_array, options));
    }
    if (source.length_array) {
      DL_ASSIGN_OR_RETURN(arrays.lengths, OpenArray(path, *source.length_array, options));
    }
    if (labelled && source.weight_array) {
      DL_ASSIGN_OR_RETURN(arrays.weights, OpenArray(path, *source.weight_array, options));
    }
    DL_RETURN_IF_ERROR(examples.Append(std::move(arrays)));
  }
  return examples.Finish();
}

}  // namespace dl::dataset
