#include "dataset/readers/image/cifar_reader.h"

#include "absl/strings/str_cat.h"
#include "dataset/readers/class_labels.h"
#include "dataset/readers/file_error.h"
#include "dataset/readers/image/cifar_classes.h"
#include "dataset/readers/source_file.h"
#include "dataset/readers/source_paths.h"
#include "dataset/readers/weight_file.h"

namespace dl::dataset {
namespace {

constexpr int64_t kPixels = 3 * 32 * 32;

// The labels before the pixels of a record.
struct Label {
  int64_t bytes = 1;  // total size of the labels
  int64_t at = 0;     // offset of the label that is used
  const std::vector<std::string>& classes;
};

Status Append(const std::string& path, const Label& label, const RowMemory& memory,
              ExampleTable& table) {
  constexpr int64_t kRecords = 32;  // read together
  const int64_t record = label.bytes + kPixels;
  DL_ASSIGN_OR_RETURN(SourceFile file, SourceFile::Open(path));
  std::vector<std::byte> bytes(kRecords * record);
  for (size_t got = bytes.size(); got == bytes.size();) {
    const int64_t begin = file.position();
    DL_ASSIGN_OR_RETURN(got, file.ReadSome(bytes));
    const auto size = static_cast<int64_t>(got);
    DL_RETURN_IF_ERROR(SpillFeatures(memory, table));
    for (int64_t at = 0; at + record <= size; at += record) {
      const auto number = static_cast<uint8_t>(bytes[at + label.at]);
      if (number >= label.classes.size()) {
        return file.Damaged(
            begin + at + label.at,
            absl::StrCat("label ", number, " is not from 0 to ", label.classes.size() - 1));
      }
      table.classes.push_back(number);
      const auto* pixels = reinterpret_cast<const uint8_t*>(bytes.data()) + at + label.bytes;
      table.u8.insert(table.u8.end(), pixels, pixels + kPixels);
      ++table.examples;
    }
    if (size % record != 0) {
      return file.Damaged(
          file.position() - size % record,
          absl::StrCat(file.position(), " bytes are not whole records of ", record));
    }
  }
  return file.position() > 0 ? absl::OkStatus() : file.Damaged(0, "is empty");
}

// The files of a source.
struct Sources {
  const job::Files& images;
  const std::optional<job::Files>& weights;
};
StatusOr<ExampleTable> ReadImages(const Sources& files, const Label& label,
                                  const ReadOptions& options) {
  DL_ASSIGN_OR_RETURN(const std::vector<std::string> paths, SourcePaths(files.images));
  std::vector<std::string> weights;
  if (files.weights) {
    DL_ASSIGN_OR_RETURN(weights, PathsBeside(paths, *files.weights, "weights"));
  }
  ExampleTable table = {.schema = {.feature_shape = {3, 32, 32}, .features = ByteFeatures{}}};
  for (size_t i = 0; i < paths.size(); ++i) {
    const int64_t before = table.examples;
    DL_RETURN_IF_ERROR(Append(paths[i], label, options.memory, table));
    if (files.weights)
      DL_RETURN_IF_ERROR(AppendWeights(weights[i], table.examples - before, table));
  }
  if (files.weights) DL_RETURN_IF_ERROR(FinishWeights(weights[0], table));
  DL_RETURN_IF_ERROR(AssignClasses(table, label.classes, options.training, paths[0]));
  if (options.training != nullptr)
    DL_RETURN_IF_ERROR(CheckSameSchema(table.schema, *options.training, paths[0]));
  if (Status status = ValidateTable(table); !status.ok())
    return AboutFile(status, paths[0], kFetchAgain);
  return table;
}

}  // namespace

StatusOr<ExampleTable> ReadCifar10(const job::Cifar10Source& source, const ReadOptions& options) {
  return ReadImages({source.paths, source.weights}, {.classes = Cifar10Classes()}, options);
}

StatusOr<ExampleTable> ReadCifar100(const job::Cifar100Source& source, const ReadOptions& options) {
  const bool fine = source.label_level == job::Cifar100Labels::kFine;
  const int64_t classes = fine ? 100 : 20;
  // The label numbers of the other level would be valid numbers of the training split's level.
  if (options.training != nullptr && options.training->classes() != classes) {
    return InvalidArgument({.message = absl::StrCat("its images have ", classes,
                                                    " classes, but the training split has ",
                                                    options.training->classes()),
                            .remedy = "Give both splits the same label_level"});
  }
  return ReadImages({source.paths, source.weights},
                    {.bytes = 2,
                     .at = fine ? 1 : 0,
                     .classes = fine ? Cifar100FineClasses() : Cifar100CoarseClasses()},
                    options);
}

}  // namespace dl::dataset
