#include "nn/conf/contract_id.h"

#include "gtest/gtest.h"

namespace dl::nn {
namespace {

const ContractId kAvx2{
    .numerics = 1, .onednn = "2.6.3", .isa = "avx2", .l2 = 1310720, .l3 = 1048576};
const ContractId kAvx512{
    .numerics = 1, .onednn = "2.6.3", .isa = "avx512", .l1d = 49152, .l2 = 2097152, .l3 = 1572864};

TEST(ContractId, TextRoundTrips) {
  EXPECT_EQ(ContractText(kAvx2), "native/1;onednn=2.6.3;isa=avx2;l2=1310720;l3=1048576");
  EXPECT_EQ(ContractText(kAvx512),
            "native/1;onednn=2.6.3;isa=avx512;l1d=49152;l2=2097152;l3=1572864");
  for (const ContractId& id : {kAvx2, kAvx512}) {
    const auto back = ParseContract(ContractText(id));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(*back, id);
  }
}

TEST(ContractId, PortableContractIsAVersion) {
  const std::string text = PortableContract();
  EXPECT_EQ(text, "portable/1");
  const auto back = ParseContract(text);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, (ContractId{.kernels = KernelSet::kPortable, .numerics = kPortableVersion}));
  EXPECT_EQ(ContractText(*back), text);
  EXPECT_EQ(KernelSetOf(text), KernelSet::kPortable);
  EXPECT_EQ(KernelSetOf(ContractText(kAvx2)), KernelSet::kNative);
  EXPECT_EQ(KernelSetOf("made up"), KernelSet::kNative);
  for (const std::string bad : {"portable/", "portable/0", "portable/-1", "portable/01",
                                "portable/1;", "portable/1;isa=avx2", "portable/1;onednn=2.6.3",
                                "portable", "portable/x", " portable/1"}) {
    EXPECT_FALSE(ParseContract(bad).ok()) << bad;
  }
}

// No cache, instruction set or library is part of it.
TEST(ContractId, PortableContractOfJobIsThatOfExecutors) {
  const std::string text = PortableContract();
  EXPECT_EQ(ContractOfJob(text, {}), text);
  EXPECT_EQ(ContractOfJob(text, {.second = true, .last = true}), text);
  EXPECT_TRUE(OffersContract(text, text));
  EXPECT_FALSE(OffersContract(text, "portable/2"));
  EXPECT_FALSE(OffersContract("portable/11", text));
  EXPECT_FALSE(OffersContract(ContractText(kAvx2), text));
  EXPECT_FALSE(OffersContract(text, ContractOfJob(ContractText(kAvx2), {})));
}

TEST(ContractId, BuildKnowsItsPortableContract) {
  EXPECT_TRUE(IsKnownContract(PortableContract(), ""));
  EXPECT_FALSE(IsKnownContract(PortableContract(), "avx2")) << "it has no instruction set";
  EXPECT_FALSE(IsKnownContract("portable/2", ""));
  EXPECT_FALSE(IsKnownContract(ContractText(kAvx2), ""));
}

TEST(ContractId, OtherTextIsRefused) {
  const std::string good = ContractText(kAvx2);
  for (const std::string& bad :
       {std::string(), std::string("c1"), good + ";", good + "x=1", "x" + good, good.substr(1),
        std::string("native/;onednn=2;isa=avx2;l2=1;l3=1"),
        std::string("native/1;onednn=2;isa=avx2"), std::string("native/1;onednn=2;isa=avx2;l3=1"),
        std::string("native/1;onednn=2;isa=avx2;l2=1"),
        std::string("native/1;onednn=2;isa=avx2;l2=1;l3=-"),
        std::string("native/1;onednn=2;isa=avx2;l1d=1;l2=1;l3=1"),
        std::string("native/1;onednn=2;isa=avx512;l2=1;l3=1"),
        std::string("native/01;onednn=2;isa=avx2;l2=1;l3=1"),
        std::string("native/0;onednn=2;isa=avx2;l2=1;l3=1"),
        std::string("native/1;isa=avx2;onednn=2;l2=1;l3=1"),
        std::string("native/1;onednn=2.6.3;isa=avx2;l1d=32768;l2=1048576;gcc=12.2")}) {
    EXPECT_FALSE(ParseContract(bad).ok()) << bad;
  }
}

TEST(ContractId, JobContractHasRelevantCaches) {
  const std::string offered = ContractText(kAvx512);
  const std::string usual = ContractOfJob(offered, {});
  const std::string second = ContractOfJob(offered, {.second = true});
  const std::string last = ContractOfJob(offered, {.last = true});
  EXPECT_EQ(usual, "native/1;onednn=2.6.3;isa=avx512;l1d=49152");
  EXPECT_EQ(second, usual + ";l2=2097152");
  EXPECT_EQ(last, usual + ";l3=1572864");
  EXPECT_EQ(ContractOfJob(offered, {.second = true, .last = true}), offered);
  EXPECT_EQ(ContractOfJob("made up", {}), "made up");
}

TEST(ContractId, ExecutorOffersContractsWithItsCaches) {
  const std::string offered = ContractText(kAvx512);
  const auto by = [](const std::string& offered) {
    std::string named;  // matches: usual contract, with the second cache, with the last, with both
    for (const CachesInBits caches :
         {CachesInBits{}, CachesInBits{.second = true}, CachesInBits{.last = true},
          CachesInBits{.second = true, .last = true}}) {
      const std::string wanted = ContractOfJob(ContractText(kAvx512), caches);
      named += OffersContract(offered, wanted) ? '1' : '0';
    }
    return named;
  };
  EXPECT_EQ(by(offered), "1111");
  ContractId other = kAvx512;
  other.l3 = 1048576;
  EXPECT_EQ(by(ContractText(other)), "1100");
  other.l2 = 1048576;
  EXPECT_EQ(by(ContractText(other)), "1000");
  other.l3 = kAvx512.l3;
  EXPECT_EQ(by(ContractText(other)), "1010");
  other = kAvx512;
  other.l1d = 32768;
  EXPECT_EQ(by(ContractText(other)), "0000");
  EXPECT_EQ(by(ContractText(kAvx2)), "0000");
  EXPECT_EQ(by("made up"), "0000");
  EXPECT_TRUE(OffersContract("made up", "made up"));
  EXPECT_FALSE(OffersContract(offered, ""));
  EXPECT_FALSE(OffersContract(offered, "native/1;onednn=2.6.3;isa=avx512"));
  for (const CachesInBits caches : {CachesInBits{.second = true}, CachesInBits{.last = true}}) {
    const std::string wanted = ContractOfJob(offered, caches);
    EXPECT_FALSE(OffersContract(offered, wanted + "0"));
    EXPECT_FALSE(OffersContract(offered, wanted.substr(0, wanted.size() - 1)));
  }
}

TEST(ContractId, BuildKnowsItsNumericsAndInstructionSets) {
  const auto of_build = [](ContractId id) {
    id.numerics = kNumericsVersion;
    return id;
  };
  const ContractId avx2 = of_build(kAvx2);
  EXPECT_TRUE(IsKnownContract(ContractText(avx2), "avx2"));
  EXPECT_TRUE(IsKnownContract(ContractText(of_build(kAvx512)), "avx512"));
  EXPECT_FALSE(IsKnownContract(ContractText(avx2), "avx512")) << "what else it says of itself";
  ContractId other = avx2;
  other.numerics = kNumericsVersion - 1;
  EXPECT_FALSE(IsKnownContract(ContractText(other), "avx2"));
  other = avx2;
  other.onednn = "9";
  EXPECT_FALSE(IsKnownContract(ContractText(other), "avx2"));
  other = avx2;
  other.isa = "avx1";
  EXPECT_FALSE(IsKnownContract(ContractText(other), "avx1"));
  EXPECT_FALSE(IsKnownContract("made up", "avx2"));
}

TEST(ContractId, InstructionSetsComputeInOnePrecision) {
  EXPECT_TRUE(ComputesIn("avx2", Precision::kFloat32));
  EXPECT_FALSE(ComputesIn("avx512", Precision::kBf16));
  EXPECT_TRUE(ComputesIn("avx512_bf16", Precision::kBf16));
  EXPECT_TRUE(ComputesIn("amx", Precision::kBf16));
  EXPECT_FALSE(ComputesIn("amx", Precision::kFloat32));
  EXPECT_FALSE(ComputesIn("made up", Precision::kFloat32));
  EXPECT_EQ(IsasOf(Precision::kFloat32), "avx2 or avx512");
  EXPECT_EQ(IsasOf(Precision::kBf16), "avx512_bf16 or amx");
  EXPECT_LT(RankOfIsa("avx512"), RankOfIsa("amx"));
}

TEST(ContractId, ContractsOfBf16NameEveryCache) {
  ContractId amx = kAvx512;
  amx.isa = "amx";
  amx.numerics = kNumericsVersion;
  const std::string text = ContractText(amx);
  EXPECT_EQ(text.substr(text.find(";isa")), ";isa=amx;l1d=49152;l2=2097152;l3=1572864");
  EXPECT_TRUE(IsKnownContract(text, "amx"));
}

}  // namespace
}  // namespace dl::nn
