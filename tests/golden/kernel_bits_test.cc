// Tests what the kernel contract contains, and that nothing else matters: computes a table of bits
// under everything that can be varied on one machine, and compares it with the record of other
// machines.
#include <map>

#include "base/files.h"
#include "gtest/gtest.h"
#include "nn/kernel_contract.h"
#include "tests/golden/onednn_cpu.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/json_program.h"
#include "tests/support/status_matchers.h"

namespace dl::test {
namespace {

using nn::Isa;

using Words = std::vector<std::string>;

Words Caches(const std::string& l1d, const std::string& l2, const std::string& l3) {
  return {"l1d=" + l1d, "l2=" + l2, "l3=" + l3};
}

const std::vector<std::string> kFirstCaches = {"32768", "49152"};

// Cache sizes of real CPUs, and some that no CPU has. AVX2 kernels do not depend on the first
// cache. AVX-512 kernels need a last cache, which all CPUs of that level have (docs/adr/0008).
Words UsualCaches(const std::string& l1d) { return Caches(l1d, "524288", "1048576"); }
std::vector<Words> OtherCaches(Isa isa, const std::string& l1d) {
  const bool avx2 = isa == Isa::kAvx2;
  return {Caches(l1d, "262144", "1048576"), Caches(l1d, "524288", "33554432"),
          Caches(l1d, "2097152", "1966080"),
          Caches(avx2 ? "8192" : l1d, "16384", avx2 ? "0" : "65536")};
}
const std::string kBySecondCache = "bits_by_second_cache";
// Used only for the comparison of that table.
Words SecondCaches(const std::string& l2, const std::string& l3) {
  Words words = Caches("32768", l2, l3);
  words.push_back("only=" + kBySecondCache);
  return words;
}
const Words kDeeperCaches = SecondCaches("1048576", "1048576");
const Words kDeepestCaches = SecondCaches("1048576", "33554432");
const std::vector<Words> kOtherCpus = {{"level=only", "cores=1"},
                                       {"vendor=other", "cores=48"},
                                       {"level=only", "vendor=other", "cores=8"}};

// Returns all CPUs that the tests simulate. The first is the real CPU.
std::vector<Words> CpusFor(Isa isa) {
  std::vector<Words> cpus = {{}, kDeeperCaches, kDeepestCaches};
  cpus.insert(cpus.end(), kOtherCpus.begin(), kOtherCpus.end());
  for (const std::string& l1d : kFirstCaches) {
    cpus.push_back(UsualCaches(l1d));
    if (isa == Isa::kAvx2 && l1d != kFirstCaches[0]) continue;
    for (const Words& words : OtherCaches(isa, l1d)) cpus.push_back(words);
  }
  return cpus;
}

// Runs a program of CMakeLists.txt on this CPU. Returns the bits of each row.
Json BitsHere(const std::string& program, Isa isa) {
  return JsonOf({Binary(program), "isa=" + std::string(nn::IsaName(isa))});
}

// Returns what the product computes on one of these CPUs. All CPUs are computed at the first call,
// together, because they share the slowest work.
const Json& BitsOf(Isa isa, const Words& cpu = {}) {
  static std::map<Isa, std::map<Words, Json>> computed;
  std::map<Words, Json>& bits = computed[isa];
  if (bits.empty()) {
    const std::vector<Words> cpus = CpusFor(isa);
    Words argv = {Binary("kernel_bits")};
    for (size_t i = 0; i < cpus.size(); ++i) {
      if (i > 0) argv.emplace_back("--");
      argv.push_back("isa=" + std::string(nn::IsaName(isa)));
      argv.insert(argv.end(), cpus[i].begin(), cpus[i].end());
    }
    const std::vector<Json> all = JsonLinesOf(argv);
    EXPECT_EQ(all.size(), cpus.size());
    for (size_t i = 0; i < all.size() && i < cpus.size(); ++i) bits[cpus[i]] = all[i];
  }
  const Json& seen = bits[cpu];
  EXPECT_FALSE(seen.empty()) << testing::PrintToString(cpu) << " is not among CpusFor";
  return seen;
}

// Returns the rows of `seen` that `record` lacks.
Json WithoutRecord(const Json& record, const Json& seen) {
  Json without = Json::object();
  for (const auto& [name, bits] : seen.items()) {
    if (!record.contains(name)) without[name] = bits;
  }
  return without;
}

// Returns the names of the recorded rows that differ from those seen.
std::vector<std::string> DifferingFromRecord(const Json& record, const Json& seen) {
  std::vector<std::string> names;
  for (const auto& [name, bits] : record.items()) {
    if (seen.value(name, "") != bits) names.push_back(name);
  }
  return names;
}

// Returns the names of the rows that differ.
std::vector<std::string> Differing(const Json& a, const Json& b) {
  std::vector<std::string> names;
  EXPECT_EQ(a.size(), b.size());
  for (const auto& [name, bits] : a.items()) {
    if (b.value(name, "") != bits) names.push_back(name);
  }
  return names;
}

class KernelBits : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    const auto best = nn::DetectBestIsa();
    ASSERT_THAT(best, IsOk());
    if (*best < GetParam()) GTEST_SKIP() << "this CPU has no " << nn::IsaName(GetParam());
  }
};

// All machines of one contract, of any vendor and any caches, must match the record.
TEST_P(KernelBits, MatchRecords) {
  const auto text = ReadFile(KERNEL_BITS, 1 << 20);
  ASSERT_THAT(text, IsOk());
  const auto records = ParseJson(*text, KERNEL_BITS);
  ASSERT_THAT(records, IsOk());
  const Json seen = BitsOf(GetParam());
  const std::string full = nn::KernelContractId(GetParam());
  const std::vector<std::pair<std::string, nn::CachesInBits>> tables = {
      {"bits", {}}, {kBySecondCache, {.second = true}}, {"bits_by_last_cache", {.last = true}}};
  std::string missing;
  for (const auto& [table, caches] : tables) {
    const std::string contract = nn::ContractOfJob(full, caches);
    const Json& bits = seen[table];
    ASSERT_FALSE(bits.empty()) << table;
    const Json record = records->value(contract, Json::object());
    EXPECT_EQ(DifferingFromRecord(record, bits), std::vector<std::string>()) << contract;
    const Json without = WithoutRecord(record, bits);
    if (!without.empty()) missing += "\n\"" + contract + "\": " + without.dump();
  }
  // The record of this contract lacks a newer model. The rows have to be added on a machine with
  // such a CPU.
  if (!missing.empty())
    GTEST_SKIP() << "rows without a record; add to tests/golden/kernel_bits.json:" << missing;
}

TEST_P(KernelBits, OtherCachesThanThoseOfTheContractChangeNone) {
  for (const std::string& l1d : kFirstCaches) {
    if (GetParam() == Isa::kAvx2 && l1d != kFirstCaches[0])
      continue;  // kernels do not depend on it,
                 // so skip equal work
    const Json usual = BitsOf(GetParam(), UsualCaches(l1d))["bits"];
    for (const Words& words : OtherCaches(GetParam(), l1d))
      EXPECT_EQ(BitsOf(GetParam(), words)["bits"], usual) << testing::PrintToString(words);
  }
}

// So the contract of AVX-512 includes the first cache. This also proves that the simulated sizes
// take effect.
TEST_P(KernelBits, FirstCacheChangesAvx512) {
  const Json small = BitsOf(GetParam(), UsualCaches("32768"));
  const Json large = BitsOf(GetParam(), UsualCaches("49152"));
  EXPECT_EQ(Differing(small["bits"], large["bits"]).empty(), GetParam() == Isa::kAvx2);
}

TEST_P(KernelBits, LastCacheChangesThreadedBatchNormalization) {
  const Json small = BitsOf(GetParam(), UsualCaches("32768"));
  const Json large = BitsOf(GetParam(), Caches("32768", "524288", "33554432"));
  const Json deep = BitsOf(GetParam(), Caches("32768", "262144", "1048576"));
  EXPECT_FALSE(Differing(small["bits_by_last_cache"], large["bits_by_last_cache"]).empty());
  EXPECT_EQ(small["bits_by_last_cache"], deep["bits_by_last_cache"]) << "the second cache";
}

// The contracts of AVX-512 include the second cache only as a precaution: no tested size changed a
// bit (docs/adr/0008).
TEST_P(KernelBits, SecondCacheChangesUnalignedGroups) {
  const Json small = BitsOf(GetParam(), Caches("32768", "262144", "1048576"))[kBySecondCache];
  const Json usual = BitsOf(GetParam(), kDeeperCaches)[kBySecondCache];
  const Json deep = BitsOf(GetParam(), kDeepestCaches)[kBySecondCache];
  EXPECT_EQ(Differing(small, usual).empty(), GetParam() == Isa::kAvx512);
  EXPECT_EQ(deep, usual) << "the last cache";
}

// A Zen 5 computes the same bits as a Zen 3, and as an Intel CPU of the same level.
TEST_P(KernelBits, AnotherCpuOfTheInstructionSetChangesNone) {
  const Json here = BitsOf(GetParam());
  for (const Words& words : kOtherCpus)
    EXPECT_EQ(BitsOf(GetParam(), words), here) << testing::PrintToString(words);
}

// The product's code leaves no choice to the compiler that could change bits.
TEST_P(KernelBits, AnotherCompilerChangesNone) {
  const Json here = BitsOf(GetParam());
  EXPECT_EQ(BitsHere("kernel_bits_clang", GetParam()), here) << "clang++ -O3 -march=x86-64-v3";
  EXPECT_EQ(BitsHere("kernel_bits_o1", GetParam()), here) << "g++ -O1";
  EXPECT_EQ(BitsHere("kernel_bits_v3", GetParam()), here) << "as the product, for x86-64-v3 alone";
}

INSTANTIATE_TEST_SUITE_P(Isas, KernelBits, testing::Values(Isa::kAvx2, Isa::kAvx512),
                         [](const auto& info) { return std::string(nn::IsaName(info.param)); });

// Networks in bf16. Their contracts contain all caches, because fewer CPUs could be tested.
class KernelBitsInBf16 : public KernelBits {};

TEST_P(KernelBitsInBf16, MatchRecord) {
  const auto text = ReadFile(KERNEL_BITS, 1 << 20);
  ASSERT_THAT(text, IsOk());
  const auto records = ParseJson(*text, KERNEL_BITS);
  ASSERT_THAT(records, IsOk());
  const std::string contract = nn::KernelContractId(GetParam());
  const Json bits = BitsHere("kernel_bits", GetParam())["bits"];
  const Json record = records->value(contract, Json::object());
  EXPECT_EQ(DifferingFromRecord(record, bits), std::vector<std::string>()) << contract;
  const Json without = WithoutRecord(record, bits);
  if (!without.empty()) {
    GTEST_SKIP() << "rows without a record; add to tests/golden/kernel_bits.json:\n\"" << contract
                 << "\": " << without.dump();
  }
}

TEST_P(KernelBitsInBf16, AnotherCompilerChangesNone) {
  const Json here = BitsHere("kernel_bits", GetParam());
  EXPECT_EQ(BitsHere("kernel_bits_clang", GetParam()), here) << "clang++ -O3 -march=x86-64-v3";
  EXPECT_EQ(BitsHere("kernel_bits_o1", GetParam()), here) << "g++ -O1";
}

INSTANTIATE_TEST_SUITE_P(Isas, KernelBitsInBf16, testing::Values(Isa::kAvx512Bf16, Isa::kAmx),
                         [](const auto& info) { return std::string(nn::IsaName(info.param)); });

// The contract contains the caches that oneDNN assumes, which may differ from those of the CPU.
TEST(OnednnCpu, CachesMatchContract) {
  const auto known = OnednnCaches();
  ASSERT_THAT(known, IsOk());
  const auto isa = nn::ProcessIsa();
  ASSERT_THAT(isa, IsOk());
  const auto contract = nn::ParseContract(nn::KernelContractId(*isa));
  ASSERT_THAT(contract, IsOk());
  const bool guesses = *known == CacheSizes{};
  EXPECT_EQ(contract->l2, guesses ? 1 << 20 : known->l2);
  EXPECT_EQ(contract->l3, guesses ? 1 << 20 : known->l3);
  if (*isa != Isa::kAvx2) {
    EXPECT_EQ(contract->l1d, guesses ? 32 << 10 : known->l1d);
  }
}

}  // namespace
}  // namespace dl::test
