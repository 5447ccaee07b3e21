#include "dataset/block.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/checksum.h"
#include "base/philox.h"
#include "gtest/gtest.h"

namespace dl::dataset {
namespace {

const Schema kImageSchema = {
    .feature_shape = {1, 2, 3}, .features = ByteFeatures{}, .labels = ClassLabels{.classes = 4}};
const Schema kRows = {.feature_shape = {3}, .labels = TargetLabels{.size = 2}};

Bytes ImageBlock(Compression compression) {
  const std::vector<uint64_t> ids = {9, 2, 5};
  const std::vector<int32_t> classes = {0, 3, 1};
  Bytes features(18);
  for (size_t i = 0; i < features.size(); ++i) features[i] = std::byte(i * 3);
  auto block = EncodeBlock(kImageSchema, {.ids = ids, .classes = classes, .features = features},
                           compression);
  EXPECT_TRUE(block.ok()) << block.status();
  return *block;
}

StatusOr<std::shared_ptr<const Block>> Decode(Bytes bytes, const Schema& schema = kImageSchema) {
  return Block::Decode(std::make_shared<const Bytes>(std::move(bytes)), schema);
}

// Recomputes the checksum, so that the checks after it are reached.
Bytes Resealed(Bytes bytes) {
  const uint64_t sum = Xxh3(std::span(bytes).first(bytes.size() - 8));
  std::memcpy(bytes.data() + bytes.size() - 8, &sum, 8);
  return bytes;
}

TEST(BlockTest, RoundTripOfBytesAndClasses) {
  for (Compression compression : {Compression::kNone, Compression::kZstd}) {
    auto block = Decode(ImageBlock(compression));
    ASSERT_TRUE(block.ok()) << block.status();
    EXPECT_EQ((*block)->examples(), 3);
    EXPECT_EQ((*block)->ids()[1], 2u);
    EXPECT_EQ((*block)->classes()[1], 3);
    EXPECT_EQ((*block)->features_u8().size(), 18u);
    EXPECT_EQ((*block)->features_u8()[17], 51);
    EXPECT_TRUE((*block)->targets().empty());
    EXPECT_TRUE((*block)->features_f32().empty());
  }
}

TEST(BlockTest, RoundTripOfFloatsAndTargets) {
  const std::vector<uint64_t> ids = {1};
  const std::vector<float> targets = {0.5f, -1.0f}, features = {1.0f, 2.0f, 3.0f};
  const auto bytes = EncodeBlock(
      kRows, {.ids = ids, .targets = targets, .features = std::as_bytes(std::span(features))},
      Compression::kNone);
  ASSERT_TRUE(bytes.ok());
  auto block = Decode(*bytes, kRows);
  ASSERT_TRUE(block.ok()) << block.status();
  EXPECT_EQ((*block)->targets()[1], -1.0f);
  EXPECT_EQ((*block)->features_f32()[2], 3.0f);
}

TEST(BlockTest, LayoutAsDocumented) {
  const Bytes bytes = ImageBlock(Compression::kNone);
  ASSERT_EQ(bytes.size(), 56u + 3 * (8 + 4 + 6) + 8);
  EXPECT_EQ(std::memcmp(bytes.data(), "PVBK\x01\0\x01\x01\0\x03\0\0\x03\0\0\0\x01\0\0\0", 20), 0);
  EXPECT_EQ(bytes[24], std::byte{54});
  EXPECT_EQ(bytes[40 + 8], std::byte{3}) << "the third extent";
  EXPECT_EQ(bytes[56], std::byte{9}) << "the first id";
  EXPECT_EQ(Sha256Hex(bytes), "8428fd71435aa389f4d39b23d467c0022531fd7f376abe22d4d4f745a96706c2");
}

// Builds that replaced missing numbers in the import wrote version 1.
TEST(BlockTest, VersionStatesThatNanIsAMissingNumber) {
  const Schema may_miss = {
      .feature_shape = {2},
      .features = FloatFeatures{.names = {"a", "b"},
                                .columns = {{.name = "a"}, {.name = "b", .fill_number = 7}}},
      .labels = TargetLabels{.size = 1}};
  const std::vector<uint64_t> ids = {1};
  const std::vector<float> targets = {0.5f}, features = {1.0f, NAN};
  const auto bytes = EncodeBlock(
      may_miss, {.ids = ids, .targets = targets, .features = std::as_bytes(std::span(features))},
      Compression::kNone);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ((*bytes)[4], std::byte{5});
  auto block = Decode(*bytes, may_miss);
  ASSERT_TRUE(block.ok()) << block.status();
  EXPECT_TRUE(std::isnan((*block)->features_f32()[1]));
  Bytes older = *bytes;
  older[4] = std::byte{1};
  EXPECT_TRUE(Decode(Resealed(older), may_miss).ok());
  Schema without = may_miss;
  without.floats().columns[1].fill_number.reset();
  EXPECT_FALSE(Decode(*bytes, without).ok());
  older[4] = std::byte{9};
  EXPECT_TRUE(absl::IsUnimplemented(Decode(Resealed(older), may_miss).status()));
}

TEST(BlockTest, EncodeRefusesSizesThatDoNotFit) {
  const std::vector<uint64_t> ids = {1};
  const std::vector<int32_t> classes = {1, 2};
  const Bytes features(6);
  EXPECT_FALSE(EncodeBlock(kImageSchema, {.ids = ids, .classes = classes, .features = features},
                           Compression::kNone)
                   .ok());
  EXPECT_FALSE(EncodeBlock(kImageSchema, {}, Compression::kNone).ok());
}

TEST(BlockTest, EveryFlippedBitIsFound) {
  for (Compression compression : {Compression::kNone, Compression::kZstd}) {
    const Bytes good = ImageBlock(compression);
    for (size_t bit = 0; bit < good.size() * 8; ++bit) {
      Bytes bad = good;
      bad[bit / 8] ^= std::byte(1 << bit % 8);
      EXPECT_FALSE(Decode(bad).ok()) << "bit " << bit;
    }
  }
}

TEST(BlockTest, EveryTruncationIsFound) {
  const Bytes good = ImageBlock(Compression::kNone);
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(Decode(Bytes(good.begin(), good.begin() + size)).ok());
    if (size >= 8) {
      EXPECT_FALSE(Decode(Resealed(Bytes(good.begin(), good.begin() + size))).ok());
    }
  }
}

TEST(BlockTest, MutationsWithValidChecksumNeverReadOutside) {
  RandomStream random({.seed = 7});
  for (Compression compression : {Compression::kNone, Compression::kZstd}) {
    const Bytes good = ImageBlock(compression);
    for (int round = 0; round < 20000; ++round) {
      Bytes bad = good;
      const uint64_t changes = 1 + random.Bounded(4);
      for (uint64_t i = 0; i < changes; ++i) {
        // Mostly the header, which holds sizes.
        const uint64_t at = random.Bounded(random.Bounded(4) > 0 ? 56 : bad.size() - 8);
        bad[at] = random.Bounded(2) > 0 ? std::byte(random.NextU32()) : std::byte{0xff};
      }
      if (random.Bounded(4) == 0) bad.resize(random.Bounded(bad.size() - 8) + 8);
      auto block = Decode(Resealed(std::move(bad)));
      if (!block.ok()) continue;
      for (int32_t label : (*block)->classes()) ASSERT_TRUE(label >= 0 && label < 4);
      ASSERT_EQ((*block)->features_u8().size(), (*block)->ids().size() * 6);
    }
  }
}

// Sequences of up to 3 steps of 2 values, with a label for each step.
const Schema kSequences = {.feature_shape = {3, 2},
                           .features = ByteFeatures{},
                           .variable_length = true,
                           .labels = ClassLabels{.classes = 4, .per_example = 3}};

TEST(BlockTest, NumbersOfSteps) {
  const Schema schema = {.feature_shape = {3, 2},
                         .features = ByteFeatures{},
                         .labels = TargetLabels{.size = 2, .per_example = 3}};
  EXPECT_EQ(schema.LabelBytes(), 24);
  const std::vector<uint64_t> ids = {7, 1};
  const std::vector<float> targets = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const Bytes features(12);
  const auto bytes = EncodeBlock(schema, {.ids = ids, .targets = targets, .features = features},
                                 Compression::kNone);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto block = Decode(*bytes, schema);
  ASSERT_TRUE(block.ok()) << block.status();
  EXPECT_TRUE(std::ranges::equal((*block)->targets(), targets));
}

TEST(BlockTest, LengthsAndTheLabelsOfTheirSteps) {
  const std::vector<uint64_t> ids = {7, 1};
  const std::vector<int32_t> lengths = {2, 3}, classes = {0, 3, kNoLabel, 1, 2, 0};
  const Bytes features(12);
  const BlockContent content{
      .ids = ids, .lengths = lengths, .classes = classes, .features = features};
  for (const Compression compression : {Compression::kNone, Compression::kZstd}) {
    const auto bytes = EncodeBlock(kSequences, content, compression);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const auto block = Decode(*bytes, kSequences);
    ASSERT_TRUE(block.ok()) << block.status();
    EXPECT_TRUE(std::ranges::equal((*block)->lengths(), lengths));
    EXPECT_TRUE(std::ranges::equal((*block)->classes(), classes));
  }
  const auto error = [&](std::vector<int32_t> of_lengths, std::vector<int32_t> of_classes) {
    const auto bytes = EncodeBlock(
        kSequences,
        {.ids = ids, .lengths = of_lengths, .classes = of_classes, .features = features},
        Compression::kNone);
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    const Status status = Decode(*bytes, kSequences).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    return std::string(status.message()) + " at " + ErrorWhere(status);
  };
  EXPECT_EQ(error({0, 3}, classes), "block: a sequence of 0 steps of 3 at byte 72");
  EXPECT_EQ(error({2, 4}, classes), "block: a sequence of 4 steps of 3 at byte 76");
  EXPECT_EQ(error({3, 3}, classes), "block: class -1 of 4 at byte 88");
  EXPECT_EQ(error({1, 3}, classes), "block: class 3 of 4 at byte 84") << "behind its end";
  EXPECT_FALSE(EncodeBlock(kSequences, {.ids = ids, .classes = classes, .features = features},
                           Compression::kNone)
                   .ok());
}

TEST(BlockTest, WrongMagicVersionSchemaAndClass) {
  const Bytes good = ImageBlock(Compression::kNone);
  Bytes bad = good;
  bad[0] = std::byte{'X'};
  EXPECT_EQ(Decode(Resealed(bad)).status().code(), absl::StatusCode::kDataLoss);
  bad = good;
  bad[4] = std::byte{9};
  EXPECT_EQ(Decode(Resealed(bad)).status().code(), absl::StatusCode::kUnimplemented);
  bad[4] = std::byte{2};
  EXPECT_EQ(Decode(Resealed(bad)).status().code(), absl::StatusCode::kDataLoss)
      << "lengths that its schema does not have";
  EXPECT_FALSE(Decode(good, kRows).ok());
  Schema fewer = kImageSchema;
  fewer.SetClasses(3, {});
  EXPECT_FALSE(Decode(good, fewer).ok()) << "class 3 of 3";
}

TEST(BlockTest, ExampleHashIsXxh3OfTheId) {
  const unsigned char id[8] = {0x39, 0x30, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(ExampleHash(12345), Xxh3(std::as_bytes(std::span(id))));
  EXPECT_NE(ExampleHash(0), ExampleHash(1));
}

}  // namespace
}  // namespace dl::dataset
