#include "nn/conf/contract_id.h"

#include "gtest/gtest.h"

namespace dl::nn {
namespace {

const ContractId kSample{
    .numerics = 1, .onednn = "2.6.3", .isa = "avx2", .l1d = 32768, .l2 = 1048576, .gcc = "12.2"};

TEST(ContractId, IsTheTextThatItWasReadFrom) {
  EXPECT_EQ(ContractText(kSample), "native/1;onednn=2.6.3;isa=avx2;l1d=32768;l2=1048576;gcc=12.2");
  const auto back = ParseContract(ContractText(kSample));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, kSample);
}

TEST(ContractId, AnyOtherTextIsNone) {
  const std::string good = ContractText(kSample);
  for (const std::string& bad :
       {std::string(), std::string("c1"), good + ";", good + "x=1", "x" + good, good.substr(1),
        std::string("native/;onednn=2;isa=avx2;l1d=1;l2=1;gcc=1"),
        std::string("native/1;onednn=2;isa=avx2;l1d=-;l2=1;gcc=1"),
        std::string("native/01;onednn=2;isa=avx2;l1d=1;l2=1;gcc=1"),
        std::string("native/1;isa=avx2;onednn=2;l1d=1;l2=1;gcc=1")}) {
    EXPECT_FALSE(ParseContract(bad).ok()) << bad;
  }
}

TEST(ContractId, ABuildKnowsItsOwnNumericsAndInstructionSets) {
  EXPECT_TRUE(IsKnownContract(ContractText(kSample), "avx2"));
  EXPECT_FALSE(IsKnownContract(ContractText(kSample), "avx512")) << "what else it says of itself";
  ContractId other = kSample;
  other.numerics = kNumericsVersion + 1;
  EXPECT_FALSE(IsKnownContract(ContractText(other), "avx2"));
  other = kSample;
  other.isa = "avx1";
  EXPECT_FALSE(IsKnownContract(ContractText(other), "avx1"));
  EXPECT_FALSE(IsKnownContract("made up", "avx2"));
}

}  // namespace
}  // namespace dl::nn
