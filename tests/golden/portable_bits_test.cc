// Tests that portable kernels give the same bits at each instruction set, with one thread and with
// two, and from each compiler. Models of the zoo must have the bits of the record.
#include <map>

#include "base/files.h"
#include "gtest/gtest.h"
#include "nn/kernel_contract.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/json_program.h"
#include "tests/support/status_matchers.h"

namespace dl::test {
namespace {

using nn::Isa;

// Runs a program of CMakeLists.txt. Returns the bits by case; cases of the zoo are named "zoo ...".
Json PortableBits(const std::string& program, Isa isa, const std::string& zoo = "yes") {
  return JsonOf({Binary(program), "kernels=portable", "isa=" + std::string(nn::IsaName(isa)),
                 "zoo=" + zoo})["portable"];
}

// Returns the instruction sets of this machine that compute differently.
std::vector<Isa> IsasHere() {
  if (*nn::DetectBestIsa() == Isa::kAvx2) return {Isa::kAvx2};
  return {Isa::kAvx2, Isa::kAvx512};
}

const Json& AllBits(Isa isa) {
  static std::map<Isa, Json> computed;
  const auto [place, is_new] = computed.try_emplace(isa);
  if (is_new) place->second = PortableBits("kernel_bits", isa);
  return place->second;
}

// Every CPU must match the record.
TEST(PortableBits, ModelsOfTheZooMatchTheRecord) {
  const auto text = ReadFile(PORTABLE_BITS, 1 << 20);
  ASSERT_THAT(text, IsOk());
  const auto record = ParseJson(*text, PORTABLE_BITS);
  ASSERT_THAT(record, IsOk());
  for (const Isa isa : IsasHere()) {
    Json zoo = Json::object();
    for (const auto& [name, bits] : AllBits(isa).items()) {
      if (name.starts_with("zoo ")) zoo[name] = bits;
    }
    EXPECT_EQ(zoo, *record) << nn::IsaName(isa) << "\n" << zoo.dump(1);
  }
}

TEST(PortableBits, InstructionSetsChangeNone) {
  for (const Isa isa : IsasHere()) EXPECT_EQ(AllBits(isa), AllBits(Isa::kAvx2));
}

TEST(PortableBits, ThreadsChangeNone) {
  const std::string two = ", 2 threads";
  const Json& bits = AllBits(Isa::kAvx2);
  int compared = 0;
  for (const auto& [name, value] : bits.items()) {
    if (!name.ends_with(two)) continue;
    EXPECT_EQ(value, bits.value(name.substr(0, name.size() - two.size()), "")) << name;
    ++compared;
  }
  EXPECT_GT(compared, 50);
}

// The cases contain every kernel. Models of the zoo would take several minutes.
TEST(PortableBits, AnotherCompilerChangesNone) {
  for (const Isa isa : IsasHere()) {
    Json bits = AllBits(isa);
    for (auto it = bits.begin(); it != bits.end();)
      it = it.key().starts_with("zoo ") ? bits.erase(it) : std::next(it);
    EXPECT_EQ(PortableBits("kernel_bits_clang", isa, "no"), bits) << "clang++ -O3";
    EXPECT_EQ(PortableBits("kernel_bits_o1", isa, "no"), bits) << "g++ -O1";
    EXPECT_EQ(PortableBits("kernel_bits_v3", isa, "no"), bits) << "for x86-64-v3 alone";
  }
}

}  // namespace
}  // namespace dl::test
