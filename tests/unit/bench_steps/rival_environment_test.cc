#include "bench/steps/rival_environment.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace dl::bench {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr char kZen4[] =
    "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\nflags\t\t: avx512f";
constexpr char kZen5[] =
    "vendor_id\t: AuthenticAMD\ncpu family\t: 26\nmodel\t\t: 2\nflags\t\t: avx512f";
constexpr char kEmerald[] =
    "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 207\nflags\t\t: avx512f";
constexpr char kSkylake[] =
    "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nflags\t\t: avx512f";

std::vector<std::string> TunedOn(const char* cpu) {
  return CommandOf(RivalKind::kTuned, {.isa = nn::Isa::kAvx512}, cpu).env;
}

TEST(RivalEnvironment, SetsBlisArchitectureForUnknownCpu) {
  EXPECT_THAT(TunedOn(kEmerald), Contains("BLIS_ARCH_TYPE=skx"));
  EXPECT_THAT(TunedOn(kZen5), Contains("BLIS_ARCH_TYPE=zen3"));
  EXPECT_THAT(TunedOn(kZen4), Not(Contains(StartsWith("BLIS_ARCH_TYPE"))));
  EXPECT_THAT(TunedOn(kSkylake), Not(Contains(StartsWith("BLIS_ARCH_TYPE"))));
}

TEST(RivalEnvironment, TunedPreloadsBlisAndJemalloc) {
  const std::vector<std::string> env = TunedOn(kZen4);
  EXPECT_THAT(env, Contains(testing::AllOf(StartsWith("LD_PRELOAD="), HasSubstr("jemalloc"),
                                           HasSubstr("blis-openmp"))));
  EXPECT_THAT(env, Contains("ATEN_CPU_CAPABILITY=avx512"));
}

TEST(RivalEnvironment, TunedUsesAvx512OnEveryCpuThatHasIt) {
  for (const nn::Isa isa : {nn::Isa::kAvx512, nn::Isa::kAvx512Bf16, nn::Isa::kAmx}) {
    EXPECT_THAT(CommandOf(RivalKind::kTuned, {.isa = isa}, kEmerald).env,
                Contains("ATEN_CPU_CAPABILITY=avx512"));
  }
}

TEST(RivalEnvironment, InstalledHasOnlyThreads) {
  const RivalCommand command =
      CommandOf(RivalKind::kInstalled, {.isa = nn::Isa::kAvx512, .threads = 2}, kEmerald);
  EXPECT_THAT(command.argv, ElementsAre("env", "-u", "OPENBLAS_CORETYPE", "/usr/bin/python3"));
  EXPECT_THAT(command.env,
              ElementsAre("OMP_NUM_THREADS=2", "BLIS_NUM_THREADS=2", "PYTHONDONTWRITEBYTECODE=1"));
}

TEST(RivalEnvironment, Avx2LimitsAllLibraries) {
  const auto command = CommandOf(RivalKind::kTuned, {.isa = nn::Isa::kAvx2}, kEmerald);
  EXPECT_THAT(command.env, Contains("DNNL_MAX_CPU_ISA=AVX2"));
  EXPECT_THAT(command.env, Contains("ATEN_CPU_CAPABILITY=avx2"));
  EXPECT_THAT(command.env, Contains("BLIS_ARCH_TYPE=haswell"));
}

TEST(RivalEnvironment, Torch2RunsInItsRoot) {
  const auto command = CommandOf(RivalKind::kTorch2, {.root = "/roots/trixie"}, kZen4);
  ASSERT_GE(command.argv.size(), 2u);
  EXPECT_EQ(command.argv[0], "chroot");
  EXPECT_EQ(command.argv[1], "/roots/trixie");
}

TEST(CheckRival, Torch2NeedsRoot) {
  EXPECT_THAT(CheckRival(RivalKind::kTorch2, {}),
              test::IsError(absl::StatusCode::kFailedPrecondition, "has no root"));
}

TEST(RivalFromName, KnowsEachNameAndListsThem) {
  for (const std::string& name : RivalNames()) {
    const auto kind = RivalFromName(name);
    DL_ASSERT_OK(kind);
    EXPECT_EQ(RivalName(*kind), name);
  }
  EXPECT_THAT(RivalFromName("tunde"),
              test::IsError(absl::StatusCode::kInvalidArgument, "tuned, tuned-bf16"));
}

}  // namespace
}  // namespace dl::bench
