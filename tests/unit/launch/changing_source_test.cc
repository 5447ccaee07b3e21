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
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ChangingSource, FileChangedDuringImportIsRefused) {
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

// A master that has all blocks.
class FullMaster : public rpc::FakeMaster {
 public:
  StatusOr<rpc::MissingBlocksReply> MissingBlocks(const rpc::MissingBlocksRequest&,
                                                  Duration) override {
    return rpc::MissingBlocksReply{};
  }
};

// The second import reads no file again, and prints the same warnings and counts.
TEST(ChangingSource, RememberedImportRepeatsItsWarnings) {
  const test::TempFolder folder;
  FullMaster master;
  std::vector<std::string> lines;
  std::vector<dataset::UnknownCategories> unknown;
  ImportOptions options{.cache_dir = folder / "imports"};
  options.progress = [&](const std::string& line) { lines.push_back(line); };
  options.on_unknown = [&](const std::vector<dataset::UnknownCategories>& found) {
    unknown.insert(unknown.end(), found.begin(), found.end());
  };
  const auto import = [&](const job::DatasetSpec& spec, const std::string& training) {
    lines.clear();
    unknown.clear();
    const auto manifest = ImportDataset(spec, {}, training, options, master);
    EXPECT_TRUE(manifest.ok()) << manifest.status();
    return manifest.value_or("");
  };
  const job::DatasetSpec queries =
      job::LibsvmSource{.path = folder.Write("rows.libsvm", "1 qid:3 1:2\n0 qid:4 1:1\n")};
  const std::string first = import(queries, "");
  EXPECT_THAT(lines, Contains(HasSubstr("the queries of 2 examples")));
  EXPECT_THAT(lines, Contains(HasSubstr("importing")));
  EXPECT_EQ(import(queries, ""), first);
  EXPECT_THAT(lines, ElementsAre(HasSubstr("the queries of 2 examples")));

  const std::string training = import(
      job::CsvSource{.path = folder.Write("train.csv", "c,label\nred,a\nblue,b\n")}.Categorical(
          {"c"}),
      "");
  const job::DatasetSpec tests =
      job::CsvSource{.path = folder.Write("test.csv", "c,label\ngreen,a\nblue,b\n")};
  import(tests, training);
  for (int repeat = 0; repeat < 2; ++repeat) {
    ASSERT_EQ(unknown.size(), 1u) << repeat;
    EXPECT_EQ(unknown[0].column, "c");
    EXPECT_EQ(unknown[0].unknown, 1);
    EXPECT_EQ(unknown[0].values, 2);
    EXPECT_EQ(unknown[0].example, "green");
    import(tests, training);
    EXPECT_THAT(lines, Not(Contains(HasSubstr("importing"))));
  }
}

}  // namespace
}  // namespace dl::launch
