// Writes all cases for run_with_runtime.mjs: `onnx_cases FOLDER`.
#include <fstream>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/files.h"
#include "tests/onnx/cases.h"
#include "tests/onnx/exported_case.h"

namespace dl::onnx_test {
namespace {

Status WriteCases(const std::string& folder) {
  DL_RETURN_IF_ERROR(CreateFolders(folder));
  Json names = Json::array();
  for (const OnnxCase& one : AllCases()) {
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

}  // namespace
}  // namespace dl::onnx_test

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: onnx_cases FOLDER" << std::endl;
    return 2;
  }
  const dl::Status status = dl::onnx_test::WriteCases(argv[1]);
  if (status.ok()) return 0;
  std::cerr << dl::DescribeError(status) << std::endl;
  return 1;
}
