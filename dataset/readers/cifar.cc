#include "dataset/readers/cifar.h"

#include "absl/strings/str_cat.h"
#include "dataset/readers/class_labels.h"
#include "dataset/readers/file_error.h"
#include "dataset/readers/source_file.h"
#include "dataset/readers/source_paths.h"

namespace dl::dataset {
namespace {

constexpr int64_t kPixels = 3 * 32 * 32;
constexpr int64_t kRecord = 1 + kPixels;

const std::vector<std::string>& ClassNames() {
  static const std::vector<std::string> names = {
      "airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};
  return names;
}

Status Append(const std::string& path, const RowMemory& memory, ExampleTable& table) {
  constexpr int64_t kRecords = 256;  // read together
  DL_ASSIGN_OR_RETURN(SourceFile file, SourceFile::Open(path));
  std::vector<std::byte> bytes(kRecords * kRecord);
  for (size_t got = bytes.size(); got == bytes.size();) {
    const int64_t begin = file.position();
    DL_ASSIGN_OR_RETURN(got, file.ReadSome(bytes));
    const auto size = static_cast<int64_t>(got);
    DL_RETURN_IF_ERROR(SpillFeatures(memory, table));
    for (int64_t at = 0; at + kRecord <= size; at += kRecord) {
      const auto label = static_cast<uint8_t>(bytes[at]);
      if (label >= ClassNames().size()) {
        return file.Damaged(begin + at, absl::StrCat("label ", label, " is not from 0 to 9"));
      }
      table.classes.push_back(label);
      const auto* pixels = reinterpret_cast<const uint8_t*>(bytes.data()) + at + 1;
      table.u8.insert(table.u8.end(), pixels, pixels + kPixels);
      ++table.examples;
    }
    if (size % kRecord != 0) {
      return file.Damaged(
          file.position() - size % kRecord,
          absl::StrCat(file.position(), " bytes are not whole records of ", kRecord));
    }
  }
  return file.position() > 0 ? absl::OkStatus() : file.Damaged(0, "is empty");
}

}  // namespace

StatusOr<ExampleTable> ReadCifar10(const job::Cifar10Source& source, const ReadOptions& options) {
  DL_ASSIGN_OR_RETURN(const std::vector<std::string> paths, SourcePaths(source.paths));
  ExampleTable table = {.schema = {.feature_shape = {3, 32, 32}, .feature_type = FeatureType::kU8}};
  for (const std::string& path : paths) DL_RETURN_IF_ERROR(Append(path, options.memory, table));
  DL_RETURN_IF_ERROR(AssignClasses(table, ClassNames(), options.training, paths[0]));
  if (options.training != nullptr)
    DL_RETURN_IF_ERROR(CheckSameSchema(table.schema, *options.training, paths[0]));
  if (Status status = ValidateTable(table); !status.ok())
    return AboutFile(status, paths[0], kFetchAgain);
  return table;
}

}  // namespace dl::dataset
