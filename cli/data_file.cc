#include "cli/data_file.h"

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
bool IsForeign(const std::string& name) {
  for (const char* ending : {".npy", ".npz", ".parquet", ".h5", ".arff", ".libsvm", ".svm", ".zip",
                             ".tar", ".xz", ".bz2", ".png", ".jpg", ".xlsx"}) {
    if (name.ends_with(ending)) return true;
  }
  return false;
}

Status WriteInstead(const std::string& path, std::string_view why, const Json& document) {
  return InvalidArgument(
      {.message = absl::StrCat(path, " ", std::string(why)),
       .where = path,
       .remedy = absl::StrCat("Write a .json file and give that: ", JsonText(document))});
}

}  // namespace

bool IsDataFile(const std::string& path) {
  const std::string name = Ending(path);
  return IsTable(name) || IsIdx(name) || name.ends_with(".bin") || IsForeign(name);
}

StatusOr<Json> DescribeDataFile(const std::string& path) {
  const std::string name = Ending(path);
  if (IsIdx(name)) {
    std::string labels = absl::StrReplaceAll(path, {{"images-idx3", "labels-idx1"}});
    if (labels == path) labels = "the file of its labels";
    return WriteInstead(path, "is one of two files: the labels are another",
                        {{"format", "idx"}, {"features", path}, {"labels", labels}});
  }
  if (name.ends_with(".bin"))
    return WriteInstead(path, "does not say what it is",
                        {{"format", "cifar10"}, {"paths", Json::array({path})}});
  if (!IsTable(name)) {
    return InvalidArgument(
        {.message = absl::StrCat(path, " is of no format that is read"),
         .where = path,
         .remedy = "Convert it to csv, idx or cifar10, plain or with gzip or zstd"});
  }
  DL_ASSIGN_OR_RETURN(const job::CsvSource csv, dataset::GuessCsv(path));
  return job::ToJson(job::DatasetSpec(csv));
}

}  // namespace dl::cli
