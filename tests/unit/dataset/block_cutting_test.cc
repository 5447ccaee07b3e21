#include "dataset/block_cutting.h"

#include <algorithm>
#include <cmath>

#include "base/checksum.h"
#include "base/json.h"
#include "base/philox.h"
#include "tests/unit/dataset/dataset_fixtures.h"

namespace dl::dataset {
namespace {

Manifest MustCut(const ExampleTable& table, const CutOptions& options, MemoryBlocks& blocks) {
  auto manifest = CutBlocks(table, options, blocks);
  EXPECT_TRUE(manifest.ok()) << manifest.status();
  return *manifest;
}

TEST(CutBlocksTest, EveryExampleOnceInShuffledBlocks) {
  const ExampleTable table = ImageTable(100);
  MemoryBlocks blocks;
  const Manifest manifest =
      MustCut(table, {.block_bytes = 16 * 7}, blocks);  // 7 records of 16 bytes
  EXPECT_EQ(manifest.blocks.size(), 15u);
  EXPECT_EQ(manifest.blocks.back().examples, 2);
  EXPECT_EQ(manifest.class_histogram, (std::vector<int64_t>{34, 33, 33}));
  std::vector<uint64_t> ids;
  uint64_t sum = 0;
  for (const BlockInfo& info : manifest.blocks) {
    auto bytes = *blocks.Get(info.sha256);
    EXPECT_EQ(static_cast<int64_t>(bytes->size()), info.bytes);
    EXPECT_EQ(Sha256Hex(*bytes), info.sha256);
    auto block = *Block::Decode(bytes, manifest.schema);
    for (int64_t i = 0; i < block->examples(); ++i) {
      const uint64_t id = block->ids()[i];
      ids.push_back(id);
      sum += ExampleHash(id);
      EXPECT_EQ(block->classes()[i], table.classes[id]);
      for (int k = 0; k < 4; ++k) EXPECT_EQ(block->features_u8()[i * 4 + k], table.u8[id * 4 + k]);
    }
  }
  EXPECT_EQ(sum, manifest.example_hash_sum);
  EXPECT_FALSE(std::is_sorted(ids.begin(), ids.end()));
  std::sort(ids.begin(), ids.end());
  for (size_t i = 0; i < ids.size(); ++i) ASSERT_EQ(ids[i], i);
}

TEST(CutBlocksTest, SameTableSameManifest) {
  MemoryBlocks a, b;
  const Manifest one = MustCut(ImageTable(50), {.block_bytes = 200}, a);
  EXPECT_EQ(ManifestToJson(one), ManifestToJson(MustCut(ImageTable(50), {.block_bytes = 200}, b)));
  EXPECT_NE(ManifestToJson(one), ManifestToJson(MustCut(ImageTable(51), {.block_bytes = 200}, b)));
  EXPECT_NE(ManifestToJson(one),
            ManifestToJson(MustCut(ImageTable(50), {.shuffle_key = 1, .block_bytes = 200}, b)));
}

TEST(CutBlocksTest, NormalizersByHand) {
  ExampleTable table = TargetTable(2);
  table.f32 = {1, 10, 5, 3, 20, 5};
  const Normalizer standard = *FitNormalizer(NormalizerKind::kStandardize, table);
  EXPECT_EQ(standard.first, (std::vector<double>{2, 15, 5}));
  EXPECT_EQ(standard.second, (std::vector<double>{1, 5, 0}));
  const Normalizer range = *FitNormalizer(NormalizerKind::kMinMax, table);
  EXPECT_EQ(range.first, (std::vector<double>{1, 10, 5}));
  EXPECT_EQ(range.second, (std::vector<double>{3, 20, 5}));
  std::vector<float> out(3);
  FeatureScaler(table.schema, standard).Apply(std::span<const float>(table.f32).first(3), out);
  EXPECT_EQ(out, (std::vector<float>{-1, -1, 0}));
  FeatureScaler(table.schema, range).Apply(std::span<const float>(table.f32).subspan(3), out);
  EXPECT_EQ(out, (std::vector<float>{1, 1, 0})) << "a feature without spread becomes 0";
}

TEST(CutBlocksTest, VolumesAreNormalizedPerChannel) {
  ExampleTable table = TargetTable(2);
  table.schema.feature_shape = {2, 1, 2, 1};
  table.f32 = {0, 2, 10, 10, 4, 6, 20, 20};
  const Normalizer standard = *FitNormalizer(NormalizerKind::kStandardize, table);
  EXPECT_EQ(standard.first, (std::vector<double>{3, 15}));
  EXPECT_EQ(standard.second, (std::vector<double>{std::sqrt(5.0), 5}));
  std::vector<float> out(4);
  FeatureScaler(table.schema, standard).Apply(std::span<const float>(table.f32).first(4), out);
  EXPECT_EQ(out[3], -1.0f);
}

TEST(CutBlocksTest, ImagesAreNormalizedPerChannel) {
  ExampleTable table = ImageTable(2);
  table.u8 = {0, 2, 10, 10, 4, 6, 20, 20};
  const Normalizer standard = *FitNormalizer(NormalizerKind::kStandardize, table);
  EXPECT_EQ(standard.first, (std::vector<double>{3, 15}));
  EXPECT_EQ(standard.second, (std::vector<double>{std::sqrt(5.0), 5}));
  std::vector<float> out(4);
  FeatureScaler(table.schema, standard).Apply(std::span<const uint8_t>(table.u8).first(4), out);
  EXPECT_EQ(out[1], static_cast<float>(-1 * (1 / std::sqrt(5.0))));
  EXPECT_EQ(out[3], -1.0f);
  FeatureScaler(table.schema, {}).Apply(std::span<const uint8_t>(table.u8).subspan(4), out);
  EXPECT_EQ(out, (std::vector<float>{4, 6, 20, 20})) << "without a normalizer bytes stay 0..255";
}

TEST(CutBlocksTest, TestSplitUsesTheFittedNormalizer) {
  MemoryBlocks blocks;
  const Manifest training =
      MustCut(ImageTable(30), {.normalizer = NormalizerKind::kStandardize}, blocks);
  const Manifest test = MustCut(ImageTable(10),
                                {.normalizer = NormalizerKind::kStandardize,
                                 .fitted = {{.features = training.normalizer, .targets = {}}}},
                                blocks);
  EXPECT_EQ(test.normalizer, training.normalizer);
  EXPECT_FALSE(CutBlocks(TargetTable(10),
                         {.fitted = {{.features = training.normalizer, .targets = {}}}}, blocks)
                   .ok());
}

TEST(CutBlocksTest, RefusesInvalidTables) {
  MemoryBlocks blocks;
  ExampleTable table = ImageTable(5);
  table.classes[2] = 3;
  EXPECT_FALSE(CutBlocks(table, {}, blocks).ok());
  table = TargetTable(5);
  table.f32[7] = NAN;
  EXPECT_FALSE(CutBlocks(table, {}, blocks).ok());
  table = TargetTable(5);
  table.f32.pop_back();
  EXPECT_FALSE(CutBlocks(table, {}, blocks).ok());
  EXPECT_FALSE(CutBlocks(ImageTable(0), {}, blocks).ok());
}

TEST(ManifestTest, RoundTrip) {
  MemoryBlocks blocks;
  for (NormalizerKind kind :
       {NormalizerKind::kNone, NormalizerKind::kStandardize, NormalizerKind::kMinMax}) {
    for (const ExampleTable& table : {ImageTable(40), TargetTable(40)}) {
      const Manifest manifest = MustCut(table, {.normalizer = kind, .block_bytes = 300}, blocks);
      auto again = ManifestFromJson(ManifestToJson(manifest), "test");
      ASSERT_TRUE(again.ok()) << again.status();
      EXPECT_EQ(*again, manifest);
      EXPECT_EQ(ManifestToJson(*again), ManifestToJson(manifest));
    }
  }
}

TEST(ManifestTest, RefusesWhatDoesNotAddUp) {
  MemoryBlocks blocks;
  const Manifest good =
      MustCut(ImageTable(40), {.normalizer = NormalizerKind::kMinMax, .block_bytes = 300}, blocks);
  ASSERT_TRUE(ManifestFromJson(ManifestToJson(good), "m").ok());
  const auto refused = [&](auto change) {
    Json json = Json::parse(ManifestToJson(good));
    change(json);
    return !ManifestFromJson(json.dump(), "m").ok();
  };
  EXPECT_TRUE(refused([](Json& j) { j["version"] = 2; }));
  EXPECT_TRUE(refused([](Json& j) { j["examples"] = 41; }));
  EXPECT_TRUE(refused([](Json& j) { j["blocks"][0]["examples"] = 0; }));
  EXPECT_TRUE(refused([](Json& j) { j["blocks"][0]["examples"] = int64_t{1} << 40; }));
  EXPECT_TRUE(refused([](Json& j) {  // more examples than the blocks hold, everything else agrees
    j["examples"] = 41;
    j["class_histogram"][0] = j["class_histogram"][0].get<int64_t>() + 1;
  }));
  EXPECT_TRUE(
      // A block larger than any import makes, so that a window would not fit into memory.
      refused([](Json& j) {
        const int64_t many = int64_t{1} << 30;
        j["blocks"][0]["examples"] = j["blocks"][0]["examples"].get<int64_t>() + many;
        j["examples"] = j["examples"].get<int64_t>() + many;
        j["class_histogram"][0] = j["class_histogram"][0].get<int64_t>() + many;
      }));
  EXPECT_TRUE(refused([](Json& j) { j["blocks"][0]["sha256"] = "../../x"; }));
  EXPECT_TRUE(refused([](Json& j) { j["blocks"] = Json::array(); }));
  EXPECT_TRUE(refused([](Json& j) { j["class_histogram"][0] = 1; }));
  EXPECT_TRUE(refused([](Json& j) { j["example_hash_sum"] = "12"; }));
  EXPECT_TRUE(refused([](Json& j) { j["normalizer"]["min"][0] = 0.25; })) << "its hash";
  EXPECT_TRUE(refused([](Json& j) { j["schema"]["feature_shape"] = {1 << 24, 1 << 24}; }));
  EXPECT_TRUE(refused([](Json& j) { j["schema"]["classes"] = 4; }));
  EXPECT_TRUE(refused([](Json& j) { j["schema"]["class_names"] = {"a", "a", "b"}; }));
  EXPECT_TRUE(refused([](Json& j) { j["surprise"] = 1; }));
  EXPECT_TRUE(refused([](Json& j) { j.erase("schema"); }));
}

TEST(ManifestTest, MutatedTextNeverCrashes) {
  MemoryBlocks blocks;
  const std::string good = ManifestToJson(MustCut(
      ImageTable(20), {.normalizer = NormalizerKind::kStandardize, .block_bytes = 160}, blocks));
  RandomStream random({.seed = 3});
  for (int i = 0; i < 3000; ++i) {
    std::string bad = good;
    for (int k = 0; k < 3; ++k)
      bad[random.Bounded(bad.size())] = static_cast<char>(random.NextU32());
    (void)ManifestFromJson(bad, "fuzz");
  }
}

}  // namespace
}  // namespace dl::dataset
