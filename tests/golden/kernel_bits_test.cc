// What is in the kernel contract, and why nothing else is: a table of bits, computed under
// everything that can be varied on one machine, and held against the record of other machines.
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

// The sizes that CPUs have, and some that none has. AVX2's kernels look at no first cache; those of
// AVX-512 want that there is a last one, which all CPUs of the level have (docs/adr/0008).
Words UsualCaches(const std::string& l1d) { return Caches(l1d, "524288", "1048576"); }
std::vector<Words> OtherCaches(Isa isa, const std::string& l1d) {
  const bool avx2 = isa == Isa::kAvx2;
  return {Caches(l1d, "262144", "1048576"), Caches(l1d, "524288", "33554432"),
          Caches(l1d, "2097152", "1966080"),
          Caches(avx2 ? "8192" : l1d, "16384", avx2 ? "0" : "65536")};
}
const std::string kBySecondCache = "bits_by_second_cache";
// These are compared in that table alone.
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

// What the tests make of a CPU, itself first.
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

// What a program of CMakeLists.txt computes on this CPU; each row with its bits.
Json BitsHere(const std::string& program, Isa isa) {
  return JsonOf({Binary(program), "isa=" + std::string(nn::IsaName(isa))});
}

// What ours computes on one of those CPUs. Computed once, and all at once: they share what takes
// longest.
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

// What is in `seen` under names that `record` has no row for.
Json WithoutRecord(const Json& record, const Json& seen) {
  Json without = Json::object();
  for (const auto& [name, bits] : seen.items()) {
    if (!record.contains(name)) without[name] = bits;
  }
  return without;
}

// Names of the rows on record that are others than those seen.
std::vector<std::string> DifferingFromRecord(const Json& record, const Json& seen) {
  std::vector<std::string> names;
  for (const auto& [name, bits] : record.items()) {
    if (seen.value(name, "") != bits) names.push_back(name);
  }
  return names;
}

// Names of the rows that differ.
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

// Machines of any make and cache, of one contract: whose bits are others is red here.
TEST_P(KernelBits, AreThoseOnRecord) {
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
  // A model that is newer than the record of this contract: whoever has such a CPU adds its rows.
  if (!missing.empty())
    GTEST_SKIP() << "rows without a record; add to tests/golden/kernel_bits.json:" << missing;
}

TEST_P(KernelBits, OtherCachesThanThoseOfTheContractChangeNone) {
  for (const std::string& l1d : kFirstCaches) {
    if (GetParam() == Isa::kAvx2 && l1d != kFirstCaches[0]) continue;  // the same below
    const Json usual = BitsOf(GetParam(), UsualCaches(l1d))["bits"];
    for (const Words& words : OtherCaches(GetParam(), l1d))
      EXPECT_EQ(BitsOf(GetParam(), words)["bits"], usual) << testing::PrintToString(words);
  }
}

// So it is in the contract of AVX-512; and the tests around this one do change something.
TEST_P(KernelBits, TheFirstCacheIsInThoseOfAvx512) {
  const Json small = BitsOf(GetParam(), UsualCaches("32768"));
  const Json large = BitsOf(GetParam(), UsualCaches("49152"));
  EXPECT_EQ(Differing(small["bits"], large["bits"]).empty(), GetParam() == Isa::kAvx2);
}

TEST_P(KernelBits, TheLastCacheIsInThoseOfBatchNormalizationBySeveralThreads) {
  const Json small = BitsOf(GetParam(), UsualCaches("32768"));
  const Json large = BitsOf(GetParam(), Caches("32768", "524288", "33554432"));
  const Json deep = BitsOf(GetParam(), Caches("32768", "262144", "1048576"));
  EXPECT_FALSE(Differing(small["bits_by_last_cache"], large["bits_by_last_cache"]).empty());
  EXPECT_EQ(small["bits_by_last_cache"], deep["bits_by_last_cache"]) << "the second cache";
}

// In those of AVX-512 it is for caution: what was tried shows nothing (docs/adr/0008).
TEST_P(KernelBits, TheSecondCacheIsInThoseOfGroupsThatAreNoBlocks) {
  const Json small = BitsOf(GetParam(), Caches("32768", "262144", "1048576"))[kBySecondCache];
  const Json usual = BitsOf(GetParam(), kDeeperCaches)[kBySecondCache];
  const Json deep = BitsOf(GetParam(), kDeepestCaches)[kBySecondCache];
  EXPECT_EQ(Differing(small, usual).empty(), GetParam() == Isa::kAvx512);
  EXPECT_EQ(deep, usual) << "the last cache";
}

// A Zen 5 computes as a Zen 3 does, and as an Intel CPU of the level.
TEST_P(KernelBits, AnotherCpuOfTheInstructionSetChangesNone) {
  const Json here = BitsOf(GetParam());
  for (const Words& words : kOtherCpus)
    EXPECT_EQ(BitsOf(GetParam(), words), here) << testing::PrintToString(words);
}

// What is ours is written so that no compiler has a choice.
TEST_P(KernelBits, AnotherCompilerChangesNone) {
  const Json here = BitsOf(GetParam());
  EXPECT_EQ(BitsHere("kernel_bits_clang", GetParam()), here) << "clang++ -O3 -march=x86-64-v3";
  EXPECT_EQ(BitsHere("kernel_bits_o1", GetParam()), here) << "g++ -O1";
  EXPECT_EQ(BitsHere("kernel_bits_v3", GetParam()), here) << "as the product, for x86-64-v3 alone";
}

INSTANTIATE_TEST_SUITE_P(Isas, KernelBits, testing::Values(Isa::kAvx2, Isa::kAvx512),
                         [](const auto& info) { return std::string(nn::IsaName(info.param)); });

// The contract says what oneDNN believes, not what the CPU has.
TEST(OnednnCpu, ItsCachesAreThoseOfTheContract) {
  const auto known = OnednnCaches();
  ASSERT_THAT(known, IsOk());
  const auto isa = nn::ProcessIsa();
  ASSERT_THAT(isa, IsOk());
  const auto contract = nn::ParseContract(nn::KernelContractId(*isa));
  ASSERT_THAT(contract, IsOk());
  const bool guesses = *known == CacheSizes{};
  EXPECT_EQ(contract->l2, guesses ? 1 << 20 : known->l2);
  EXPECT_EQ(contract->l3, guesses ? 1 << 20 : known->l3);
  if (*isa == Isa::kAvx512) {
    EXPECT_EQ(contract->l1d, guesses ? 32 << 10 : known->l1d);
  }
}

}  // namespace
}  // namespace dl::test
