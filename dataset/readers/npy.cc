#include "dataset/readers/npy.h"

#include "dataset/readers/npy_examples.h"
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
  FilePairs files;
  if (source.labels) {
    DL_ASSIGN_OR_RETURN(files, SourcePairs(source.features, *source.labels));
  } else {
    DL_ASSIGN_OR_RETURN(files.features, SourcePaths(source.features));
  }
  NpyExamples examples({.type = source.label_type, .class_names = source.class_names}, options);
  for (size_t i = 0; i < files.features.size(); ++i) {
    DL_ASSIGN_OR_RETURN(NpyArray features, OpenArray(files.features[i], options));
    if (!source.labels) {
      DL_RETURN_IF_ERROR(examples.Append(std::move(features)));
      continue;
    }
    DL_ASSIGN_OR_RETURN(NpyArray labels, OpenArray(files.labels[i], options));
    DL_RETURN_IF_ERROR(examples.Append(std::move(features), std::move(labels)));
  }
  return examples.Finish();
}

}  // namespace dl::dataset
