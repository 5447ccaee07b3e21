#include "nn/conf/contract_id.h"

#include "gtest/gtest.h"

namespace dl::nn {
namespace {

const ContractId kAvx2{.numerics = 1, .onednn = "2.6.3", .isa = "avx2", .l3 = 1048576};
const ContractId kAvx512{
    .numerics = 1, .onednn = "2.6.3", .isa = "avx512", .l1d = 49152, .l3 = 1572864};

TEST(ContractId, IsTheTextThatItWasReadFrom) {
  EXPECT_EQ(ContractText(kAvx2), "native/1;onednn=2.6.3;isa=avx2;l3=1048576");
  EXPECT_EQ(ContractText(kAvx512), "native/1;onednn=2.6.3;isa=avx512;l1d=49152;l3=1572864");
  for (const ContractId& id : {kAvx2, kAvx512}) {
    const auto back = ParseContract(ContractText(id));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(*back, id);
  }
}

TEST(ContractId, AnyOtherTextIsNone) {
  const std::string good = ContractText(kAvx2);
  for (const std::string& bad :
       {std::string(), std::string("c1"), good + ";", good + "x=1", "x" + good, good.substr(1),
        std::string("native/;onednn=2;isa=avx2;l3=1"), std::string("native/1;onednn=2;isa=avx2"),
        std::string("native/1;onednn=2;isa=avx2;l3=-"),
        std::string("native/1;onednn=2;isa=avx2;l1d=1;l3=1"),
        std::string("native/1;onednn=2;isa=avx512;l3=1"),
        std::string("native/01;onednn=2;isa=avx2;l3=1"),
        std::string("native/1;isa=avx2;onednn=2;l3=1"),
        std::string("native/1;onednn=2.6.3;isa=avx2;l1d=32768;l2=1048576;gcc=12.2")}) {
    EXPECT_FALSE(ParseContract(bad).ok()) << bad;
  }
}

TEST(ContractId, AJobsHasTheLastCacheWhereItMatters) {
  const std::string offered = ContractText(kAvx512);
  const std::string usual = ContractOfJob(offered, LastCache::kDoesNotMatter);
  EXPECT_EQ(usual, "native/1;onednn=2.6.3;isa=avx512;l1d=49152");
  EXPECT_EQ(ContractOfJob(offered, LastCache::kMatters), offered);
  EXPECT_EQ(ContractOfJob("made up", LastCache::kDoesNotMatter), "made up");
  EXPECT_TRUE(OffersContract(offered, usual));
  EXPECT_TRUE(OffersContract(offered, offered));
  ContractId other = kAvx512;
  other.l3 = 1048576;
  EXPECT_TRUE(OffersContract(ContractText(other), usual));
  EXPECT_FALSE(OffersContract(ContractText(other), offered));
  other.l1d = 32768;
  EXPECT_FALSE(OffersContract(ContractText(other), usual));
  EXPECT_FALSE(OffersContract(ContractText(kAvx2), usual));
  EXPECT_FALSE(OffersContract(offered, ""));
  EXPECT_FALSE(OffersContract(offered, "native/1;onednn=2.6.3;isa=avx512"));
}

TEST(ContractId, ABuildKnowsItsOwnNumericsAndInstructionSets) {
  EXPECT_TRUE(IsKnownContract(ContractText(kAvx2), "avx2"));
  EXPECT_TRUE(IsKnownContract(ContractText(kAvx512), "avx512"));
  EXPECT_FALSE(IsKnownContract(ContractText(kAvx2), "avx512")) << "what else it says of itself";
  ContractId other = kAvx2;
  other.numerics = kNumericsVersion + 1;
  EXPECT_FALSE(IsKnownContract(ContractText(other), "avx2"));
  other = kAvx2;
  other.onednn = "9";
  EXPECT_FALSE(IsKnownContract(ContractText(other), "avx2"));
  other = kAvx2;
  other.isa = "avx1";
  EXPECT_FALSE(IsKnownContract(ContractText(other), "avx1"));
  EXPECT_FALSE(IsKnownContract("made up", "avx2"));
}

}  // namespace
}  // namespace dl::nn
