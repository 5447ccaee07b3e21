// ONNX files are valid, and are those for which ONNX Runtime computed the predictions of the engine
// (recorded.json, written by `./dev test-onnx`).
#include <onnx/checker.h>
#include <onnx/defs/schema.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <cmath>

#include "base/checksum.h"
#include "base/files.h"
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/onnx/cases.h"
#include "tests/onnx/exported_case.h"
#include "tests/support/status_matchers.h"

namespace dl::onnx_test {
namespace {

constexpr int64_t kMaxRecordedBytes = 16 << 20;
constexpr double kTolerance = 1e-5;

const std::vector<OnnxCase>& Cases() {
  static const std::vector<OnnxCase> all = AllCases();
  return all;
}

Json Recorded() {
  const auto text = ReadFile(DL_ONNX_RECORDED, kMaxRecordedBytes);
  DL_EXPECT_OK(text);
  return Json::parse(text.value_or("{}")).at("cases");
}

// Throws if the file is not a valid model, or if a declared shape differs from the inferred one.
void CheckFile(const std::string& bytes) {
  ::onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(bytes));
  EXPECT_EQ(model.opset_import(0).version(), 17);
  ::onnx::checker::check_model(model);
  ::onnx::shape_inference::InferShapes(model, ::onnx::OpSchemaRegistry::Instance(),
                                       {/*check_type=*/true, /*strict_mode=*/1,
                                        /*data_prop=*/true});
}

// Returns the largest difference, relative to values above 1.
double DifferenceOf(const Json& recorded, const Json& output) {
  const std::vector<double> values = ValuesOf(output);
  const size_t units = output.contains("counts") ? values.size() / output["counts"].size() : 1;
  double most = 0;
  for (size_t i = 0; i < recorded.size(); ++i) {
    if (output.contains("counts") && output["counts"][i / units] == 0) continue;
    const double want = recorded[i];
    most = std::max(most, std::fabs(values.at(i) - want) / std::max(1.0, std::fabs(want)));
  }
  return most;
}

TEST(Onnx, EachCaseGivesValidFileThatRuntimeHasComputed) {
  const Json recorded = Recorded();
  EXPECT_EQ(recorded.size(), Cases().size());
  for (const OnnxCase& one : Cases()) {
    SCOPED_TRACE(one.name);
    const auto made = Export(one);
    DL_ASSERT_OK(made);
    EXPECT_NO_THROW(CheckFile(made->onnx));
    ASSERT_TRUE(recorded.contains(one.name)) << "run ./dev test-onnx";
    const Json& row = recorded[one.name];
    EXPECT_EQ(Sha256Hex(made->onnx), row["sha256"]) << "the file changed: run ./dev test-onnx";
    EXPECT_LE(row["difference"], kTolerance);
    ASSERT_EQ(made->outputs.size(), row["values"].size());
    for (size_t i = 0; i < made->outputs.size(); ++i)
      EXPECT_LE(DifferenceOf(row["values"][i], made->outputs[i]), kTolerance);
  }
}

}  // namespace
}  // namespace dl::onnx_test
