#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "launch/submission.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/rpc/fake_master.h"

namespace dl::launch {
namespace {

using test::IsError;

TEST(ChangingSource, IsNoSource) {
  const test::TempFolder folder;
  const std::string path = folder.Write("rows.csv", "x,label\n1,a\n2,b\n");
  rpc::FakeMaster master;
  ImportOptions options{.cache_dir = folder / "imports"};
  // This line is printed between the first look at the file and reading it.
  options.progress = [&](const std::string& line) {
    if (line.starts_with("importing")) std::ofstream(path, std::ios::app) << "3,c\n";
  };
  const job::DatasetSpec spec = job::CsvSource{.path = path};
  const auto import = [&] { return ImportDataset(spec, {}, "", options, master).status(); };
  EXPECT_THAT(import(), IsError(absl::StatusCode::kInvalidArgument, path));
  EXPECT_THAT(import(), IsError(absl::StatusCode::kInvalidArgument, "was changed"));
  options.progress = nullptr;
  DL_EXPECT_OK(import());
}

}  // namespace
}  // namespace dl::launch
