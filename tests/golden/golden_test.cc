// Compares the bits of a few small jobs with a record for each kernel contract. A failure shows
// either that our change altered the bits, or that the id of a contract is too coarse: two machines
// with the same contract disagree. `--isa avx2` is always tested.
#include <map>

#include "base/files.h"
#include "gtest/gtest.h"
#include "nn/kernel_contract.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"

namespace dl::test {
namespace {

struct Row {
  SampleJob job;
  const char* name;
};
constexpr Row kRows[] = {{SampleJob::kMlpAverage, "mlp_average"},
                         {SampleJob::kMlpReset, "mlp_reset"},
                         {SampleJob::kCnnKeep, "cnn_keep"},
                         {SampleJob::kMlpOuter, "mlp_outer"},
                         {SampleJob::kCnnOuterKeep, "cnn_outer_augmented"},
                         {SampleJob::kLstm, "lstm"},
                         {SampleJob::kStatefulLstm, "stateful_lstm"},
                         {SampleJob::kTransformer, "transformer"}};

class GoldenTest : public testing::TestWithParam<nn::Isa> {};

TEST_P(GoldenTest, BitsMatchRecords) {
  const nn::Isa isa = GetParam();
  auto best = nn::DetectBestIsa();
  ASSERT_TRUE(best.ok());
  if (*best < isa) GTEST_SKIP() << "this CPU has no " << nn::IsaName(isa);
  auto text = ReadFile(GOLDEN_RECORDS, 1 << 20);
  ASSERT_TRUE(text.ok()) << DescribeError(text.status());
  auto records = ParseJson(*text, GOLDEN_RECORDS);
  ASSERT_TRUE(records.ok()) << DescribeError(records.status());

  const TempFolder folder;
  Json seen = Json::object();
  std::string contract;
  for (const Row& row : kRows) {
    const std::string job = WriteJob(folder, row.name, MakeSample(folder, {.job = row.job}));
    const Json result = RunJob("local[2]", job, {"--isa", std::string(nn::IsaName(isa))});
    contract = result.value("kernel_contract", "");
    seen[row.name] = result.value("state_sha256", "");
    ASSERT_EQ(seen[row.name].get<std::string>().size(), 64u) << result.dump();
  }
  if (!records->contains(contract)) {
    GTEST_SKIP() << "no record for this kernel contract; add to tests/golden/records.json:\n  \""
                 << contract << "\": " << seen.dump();
  }
  EXPECT_EQ((*records)[contract], seen) << contract;
}

INSTANTIATE_TEST_SUITE_P(Isas, GoldenTest, testing::Values(nn::Isa::kAvx2, nn::Isa::kAvx512),
                         [](const auto& info) { return std::string(nn::IsaName(info.param)); });

}  // namespace
}  // namespace dl::test
