#include "nn/kernel_contract.h"

#include "gtest/gtest.h"

namespace dl::nn {
namespace {

TEST(KernelContract, NamesEverythingThatDecidesBits) {
  const std::string id = KernelContractId(Isa::kAvx2);
  for (const char* part : {"native/", ";onednn=2.", ";isa=avx2", ";l2=", ";l3="}) {
    EXPECT_NE(id.find(part), std::string::npos) << part << " in " << id;
  }
  EXPECT_TRUE(IsKnownContract(id, "avx2"));
  EXPECT_TRUE(IsKnownContract(KernelContractId(Isa::kAvx512), "avx512"));
}

TEST(KernelContract, ProcessKeepsInstructionSet) {
  const auto isa = ProcessIsa();
  ASSERT_TRUE(isa.ok()) << isa.status();
  EXPECT_TRUE(SetProcessIsa(*isa).ok());
  const Isa other = *isa == Isa::kAvx2 ? Isa::kAvx512 : Isa::kAvx2;
  EXPECT_EQ(SetProcessIsa(other).code(), absl::StatusCode::kFailedPrecondition);
  for (const Isa contract : ContractIsas(*isa))
    EXPECT_TRUE(SetProcessIsa(contract).ok()) << IsaName(contract);
}

TEST(KernelContract, IsaNamesRoundTrip) {
  for (const Isa isa : {Isa::kAvx2, Isa::kAvx512, Isa::kAvx512Bf16, Isa::kAmx})
    EXPECT_EQ(*IsaFromName(IsaName(isa)), isa);
  EXPECT_EQ(IsaFromName("avx").status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace dl::nn
