#include "cli/clusters/doctor.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "launch/version.h"

namespace dl::cli {
namespace {

using testing::HasSubstr;

Json ClusterOf(const std::vector<std::string>& caches) {
  Json executors = Json::array();
  for (const std::string& one : caches) {
    const std::string contract = "native/1;onednn=2.6.3;isa=" + one;
    executors.push_back({{"executor", absl::StrCat("e", executors.size())},
                         {"slots", 2},
                         {"version", launch::kVersion},
                         {"offers", {{{"kernel_contract", contract}}}}});
  }
  return {{"executors", executors}};
}

TEST(Doctor, OnlyContractsOfJobsDistinguishMachines) {
  const std::vector<Check> alike = CheckExecutors(
      ClusterOf({"avx512;l1d=32768;l2=1048576;l3=1048576", "avx512;l1d=32768;l2=2097152;l3=1966080",
                 "avx512;l1d=32768;l2=1048576;l3=33554432"}));
  ASSERT_EQ(alike.size(), 1u);
  EXPECT_EQ(alike[0].message, "3 with 6 slots");
  const std::vector<Check> different = CheckExecutors(
      ClusterOf({"avx512;l1d=32768;l2=1048576;l3=1048576", "avx512;l1d=49152;l2=1048576;l3=1048576",
                 "avx2;l2=1048576;l3=1048576", "avx2;l2=2097152;l3=1966080"}));
  ASSERT_EQ(different.size(), 2u);
  EXPECT_EQ(different[1].subject, "kernel contracts");
  EXPECT_THAT(different[1].remedy, HasSubstr("--kernels portable"));
  EXPECT_THAT(different[1].message, HasSubstr("2 with native/1;onednn=2.6.3;isa=avx2,"));
  EXPECT_THAT(different[1].message, HasSubstr("1 with native/1;onednn=2.6.3;isa=avx512;l1d=32768"));
  EXPECT_THAT(different[1].message, HasSubstr("1 with native/1;onednn=2.6.3;isa=avx512;l1d=49152"));
}

TEST(Doctor, ClusterWithoutExecutorsGivesWarning) {
  const std::vector<Check> checks = CheckExecutors(ClusterOf({}));
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].state, Check::State::kWarning);
  EXPECT_THAT(checks[0].remedy, HasSubstr("dl-submit executor"));
}

}  // namespace
}  // namespace dl::cli
