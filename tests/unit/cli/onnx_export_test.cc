// dl-submit export as ONNX: the files and the errors of its flags. tests/onnx tests their content.
#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/json.h"
#include "cli/exit_code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

using testing::HasSubstr;
constexpr int64_t kMaxOnnxBytes = 1 << 24;

class OnnxExport : public testing::Test {
 protected:
  Ended Run(std::vector<std::string> words) {
    words.insert(words.end(), {"--data-dir", data_});
    return DlSubmit(std::move(words));
  }

  test::TempFolder folder_;
  const std::string job_ = WriteSmallJob(folder_.path());
  const std::string data_ = folder_ / "data";
};

TEST_F(OnnxExport, FileIsWrittenWithItsDescription) {
  ASSERT_EQ(Run({"run", job_}).code, kSuccess);
  const std::string file = folder_ / "small.onnx";
  const Ended exported = Run({"export", "small-1", "-o", file, "--json"});
  ASSERT_EQ(exported.code, kSuccess) << exported.err;
  EXPECT_EQ(exported.last["format"], "onnx");
  EXPECT_EQ(exported.last["description_file"], file + ".json");
  const std::string bytes = ReadFile(file, kMaxOnnxBytes).value_or("");
  EXPECT_EQ(exported.last["bytes"], bytes.size());
  EXPECT_THAT(bytes, HasSubstr("paravane"));
  const auto text = ReadFile(file + ".json", kMaxOnnxBytes);
  ASSERT_TRUE(text.ok()) << text.status();
  const auto description = ParseJson(*text, "description");
  ASSERT_TRUE(description.ok()) << description.status();
  EXPECT_EQ((*description)["opset"], 17);
  EXPECT_EQ((*description)["checkpoint"], exported.last["checkpoint"]);
  EXPECT_EQ((*description)["inputs"].size(), 1u);
  EXPECT_EQ((*description)["outputs"][0]["predicts"], "classes");

  const Ended streamed = Shell(absl::StrCat("cd ", folder_.path(),
                                            " && $DL export small-1 --format onnx -o - --data-dir ",
                                            data_, " 2>said"));
  EXPECT_EQ(streamed.code, kSuccess);
  EXPECT_EQ(streamed.out, bytes);
}

TEST_F(OnnxExport, UpdaterStateAndOtherEndingsAreUsageErrors) {
  const Ended with_state = Run({"export", "small-1", "-o", folder_ / "x.onnx", "--updater-state"});
  EXPECT_EQ(with_state.code, kUsage);
  EXPECT_THAT(with_state.err, HasSubstr("--updater-state"));
  const Ended contradicts = Run({"export", "small-1", "-o", folder_ / "x.npz", "--format", "onnx"});
  EXPECT_EQ(contradicts.code, kUsage);
  EXPECT_THAT(contradicts.err, HasSubstr("--format is onnx"));
  const Ended unknown = Run({"export", "small-1", "-o", folder_ / "x.onx"});
  EXPECT_EQ(unknown.code, kUsage);
  EXPECT_THAT(unknown.err, HasSubstr(".onnx"));
}

}  // namespace
}  // namespace dl::cli
