#include "cli/data_file.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/json.h"
#include "dataset/readers/csv_guess.h"
#include "job/dataset_spec.h"

namespace dl::cli {
namespace {

// In lower case and without ".gz" or ".zst".
std::string Ending(const std::string& path) {
  std::string name = absl::AsciiStrToLower(path.substr(path.rfind('/') + 1));
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) name.resize(name.size() - packed.size());
  }
  return name;
}

bool IsTable(const std::string& name) {
  return name.ends_with(".csv") || name.ends_with(".tsv") || name.ends_with(".data") ||
         name.ends_with(".txt");
}
bool IsIdx(const std::string& name) {
  return name.find("-idx") != std::string::npos || name.find(".idx") != std::string::npos;
}
bool EndsWithOne(const std::string& name, std::initializer_list<const char*> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](const char* ending) { return name.ends_with(ending); });
}
bool IsSparse(const std::string& name) {
  return EndsWithOne(name, {".libsvm", ".svm", ".svmlight"});
}
bool IsForeign(const std::string& name) {
  return EndsWithOne(
      name, {".parquet", ".h5", ".arff", ".zip", ".tar", ".xz", ".bz2", ".png", ".jpg", ".xlsx"});
}

Status WriteInstead(const std::string& path, std::string_view why, const Json& document) {
  return InvalidArgument(
      {.message = absl::StrCat(path, " ", std::string(why)),
       .where = path,
       .remedy = absl::StrCat("Write a .json file and give that: ", JsonText(document))});
}

}  // namespace

bool IsFolder(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

bool IsDataFile(const std::string& path) {
  if (IsFolder(path)) return true;
  const std::string name = Ending(path);
  return IsTable(name) || IsIdx(name) || IsSparse(name) || IsForeign(name) ||
         EndsWithOne(name, {".bin", ".npy", ".npz"});
}

StatusOr<Json> DescribeImageFolder(const std::string& path, const std::vector<int64_t>& shape) {
  if (shape.size() != 3 || (shape[0] != 1 && shape[0] != 3)) {
    return InvalidArgument({.message = absl::StrCat(path,
                                                    " is a folder, and the model takes no "
                                                    "images of 1 or 3 channels"),
                            .where = path,
                            .remedy = "Name a file of data, or a .json file with a dataset"});
  }
  job::ImageFolderSource source = data::ImageFolder(path, shape[1], shape[2]);
  source.channels = shape[0];
  return job::ToJson(job::DatasetSpec(source));
}

StatusOr<Json> DescribeDataFile(const std::string& path, const std::vector<std::string>& columns) {
  if (IsFolder(path)) {
    return WriteInstead(path, "is a folder, and does not say what size its images are to have",
                        job::ToJson(job::DatasetSpec(data::ImageFolder(path, 64, 64))));
  }
  const std::string name = Ending(path);
  if (IsIdx(name)) {
    const std::string labels =
        absl::StrReplaceAll(path, {{"images-idx3", "labels-idx1"}, {"images.idx3", "labels.idx1"}});
    std::error_code none;
    if (labels != path && std::filesystem::exists(labels, none))
      return job::ToJson(job::DatasetSpec(data::Idx(path, labels)));
    return WriteInstead(path, "is one of two files: the labels are another",
                        {{"format", "idx"},
                         {"features", path},
                         {"labels", labels == path ? "the file of its labels" : labels}});
  }
  if (name.ends_with(".bin"))
    return WriteInstead(path, "does not say what it is",
                        {{"format", "cifar10"}, {"paths", Json::array({path})}});
  if (name.ends_with(".npy")) {
    return WriteInstead(
        path, "is one of two files: the labels are another",
        {{"format", "npy"}, {"features", path}, {"labels", "the file of its labels"}});
  }
  if (IsSparse(name)) return job::ToJson(job::DatasetSpec(data::Libsvm(path)));
  if (name.ends_with(".npz")) return job::ToJson(job::DatasetSpec(data::Npz(path)));
  if (!IsTable(name)) {
    return InvalidArgument(
        {.message = absl::StrCat(path, " is of no format that is read"),
         .where = path,
         .remedy = "Convert it to csv, libsvm, npy, npz, idx, cifar10 or cifar100, plain or with "
                   "gzip or zstd; images lie in a folder"});
  }
  DL_ASSIGN_OR_RETURN(const job::CsvSource csv, dataset::GuessCsv(path, columns));
  return job::ToJson(job::DatasetSpec(csv));
}

}  // namespace dl::cli
