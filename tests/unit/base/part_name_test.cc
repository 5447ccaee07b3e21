#include "base/part_name.h"

#include <atomic>
#include <cstring>
#include <vector>

#include "base/checksum.h"
#include "base/parallel.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dl {
namespace {

// The test vector of docs/formats.md. It was computed independently with Python's struct and
// hashlib.
TEST(PartName, TestVector) {
  SegmentTable model, updater;
  model.Add("w", SegmentKind::kParameter, {1, 2});
  model.Add("b.mean", SegmentKind::kMean, {1});
  updater.Add("w/momentum", SegmentKind::kUpdater, {2});
  const std::string of_model = PartSha256(model, std::vector<float>{1.0f, -2.5f, 0.25f});
  const std::string of_updater = PartSha256(updater, std::vector<float>{-0.0f, 3.0f});
  EXPECT_EQ(of_model, "2dc6196dd15f5dd8622744abf674c14a0d88166b9cc976eabb4938bd257393e3");
  EXPECT_EQ(of_updater, "c399db02d2af18519b650a9602476721983ee7ef2a526351ace080440c36d643");
  EXPECT_EQ(StateSha256({{"model", of_model}, {"updater", of_updater}}),
            "c9691608049e5584d0bd0305286e731d97e2be52dbed6049ad29ab17937c4833");
}

// Two complete pieces and a partial one.
TEST(PartName, CoversSeveralPieces) {
  SegmentTable table;
  table.Add("w", SegmentKind::kParameter, {700'000});
  std::vector<float> values(700'000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  EXPECT_EQ(PartSha256(table, values),
            "1a5f5c8e5b8f4b376a2d5d7e10289772bbb55d2653c5e43c1a71cb727e2c0d60");
}

TEST(PartName, NameDependsOnEveryPiece) {
  const std::vector<float> flat = {1, 2, 3, 4}, other = {1, 2, 3, 5};
  const auto hash = [&](std::string name, SegmentKind kind, std::vector<int64_t> shape,
                        const std::vector<float>& values) {
    SegmentTable table;
    table.Add(std::move(name), kind, std::move(shape));
    return PartSha256(table, values);
  };
  const std::string base = hash("w", SegmentKind::kParameter, {4}, flat);
  EXPECT_EQ(base, hash("w", SegmentKind::kParameter, {4}, flat));
  EXPECT_NE(base, hash("v", SegmentKind::kParameter, {4}, flat));
  EXPECT_NE(base, hash("w", SegmentKind::kUpdater, {4}, flat));
  EXPECT_NE(base, hash("w", SegmentKind::kParameter, {2, 2}, flat));
  EXPECT_NE(hash("w", SegmentKind::kParameter, {4, 1}, flat),
            hash("w", SegmentKind::kParameter, {2, 2}, flat));
  EXPECT_NE(base, hash("w", SegmentKind::kParameter, {4}, other));
  const size_t large = 3 * kPieceBytes / sizeof(float);
  std::vector<float> values(large);
  const std::string zeros =
      hash("w", SegmentKind::kParameter, {static_cast<int64_t>(large)}, values);
  for (const size_t at : {size_t{0}, large / 2, large - 1}) {
    values[at] = 1;
    EXPECT_NE(hash("w", SegmentKind::kParameter, {static_cast<int64_t>(large)}, values), zeros);
    values[at] = 0;
  }
}

TEST(PartName, StateNameDependsOnKeys) {
  EXPECT_NE(StateSha256({{"model", "a"}}), StateSha256({{"updater", "a"}}));
  EXPECT_NE(StateSha256({{"model", "a"}, {"updater", "b"}}),
            StateSha256({{"model", "b"}, {"updater", "a"}}));
}

TEST(PartName, ParallelNamesEqualSingleNames) {
  SegmentTable small, large;
  small.Add("w", SegmentKind::kParameter, {3});
  large.Add("w", SegmentKind::kParameter, {kPieceBytes / 4 + 5});
  const std::vector<float> few{1, 2, 3};
  std::vector<float> many(large.size());
  for (size_t i = 0; i < many.size(); ++i) many[i] = static_cast<float>(i);
  const std::vector<float> others(large.size(), 1);
  const std::vector<PartContent> parts{{&large, many}, {&small, few}, {&large, others}};
  const std::vector<PartHashes> hashes = HashParts(parts);
  ASSERT_EQ(hashes.size(), parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(hashes[i].name, PartSha256(*parts[i].table, parts[i].flat));
    EXPECT_EQ(hashes[i].pieces, HashPieces(std::as_bytes(parts[i].flat)));
    EXPECT_EQ(static_cast<int64_t>(hashes[i].pieces.size()), PieceHashesBytes(*parts[i].table));
    EXPECT_EQ(PartSha256OfPieces(*parts[i].table, hashes[i].pieces), hashes[i].name);
  }
  EXPECT_THAT(HashParts({}), testing::IsEmpty());
}

TEST(InParallel, DoesEachOnce) {
  for (const int64_t count : {0, 1, 2, 3, 100}) {
    std::vector<std::atomic<int>> done(static_cast<size_t>(count));
    InParallel(count, [&](int64_t i) { ++done[static_cast<size_t>(i)]; });
    for (const auto& times : done) EXPECT_EQ(times, 1);
  }
}

TEST(InParallel, ManyAtOnceGoOn) {
  std::atomic<int64_t> sum = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 8; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) InParallel(5, [&](int64_t i) { sum += i; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 8 * 200 * 10);
}

}  // namespace
}  // namespace dl
