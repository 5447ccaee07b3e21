// Writes cases for run_with_runtime.mjs: `onnx_cases FOLDER` all of the test, `onnx_cases FOLDER
// published` the zoo with its published inputs.
#include <iostream>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/files.h"
#include "tests/onnx/cases.h"
#include "tests/onnx/exported_case.h"

namespace dl::onnx_test {

Status WriteCases(const std::string& folder, const std::vector<OnnxCase>& cases) {
  DL_RETURN_IF_ERROR(CreateFolders(folder));
  Json names = Json::array();
  for (const OnnxCase& one : cases) {
    auto made = Export(one);
    if (!made.ok()) return WithContext(made.status(), one.name);
    const std::string file = absl::StrCat("case_", names.size());
    const Json json = {{"name", one.name},
                       {"sha256", Sha256Hex(made->onnx)},
                       {"inputs", made->inputs},
                       {"outputs", made->outputs}};
    DL_RETURN_IF_ERROR(AtomicWriteFile(absl::StrCat(folder, "/", file, ".onnx"), made->onnx));
    DL_RETURN_IF_ERROR(AtomicWriteFile(absl::StrCat(folder, "/", file, ".json"), json.dump()));
    names.push_back(file);
  }
  return AtomicWriteFile(folder + "/cases.json", names.dump());
}

}  // namespace dl::onnx_test

int main(int argc, char** argv) {
  using namespace dl::onnx_test;  // NOLINT: reads better
  const bool published = argc == 3 && std::string_view(argv[2]) == "published";
  if (argc != 2 && !published) {
    std::cerr << "usage: onnx_cases FOLDER [published]" << std::endl;
    return 2;
  }
  const dl::Status status = WriteCases(argv[1], published ? PublishedZoo() : AllCases());
  if (status.ok()) return 0;
  std::cerr << dl::DescribeError(status) << std::endl;
  return 1;
}
