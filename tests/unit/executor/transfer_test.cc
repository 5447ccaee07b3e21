#include "executor/transfer.h"

#include "base/checksum.h"
#include "base/limits.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/executor/scripted_master.h"

namespace dl::executor {
namespace {

TEST(Transfer, AcknowledgedBytesCountForAllWaiting) {
  ScriptedMaster master;
  MovedBytes moved;
  const auto own = std::make_shared<std::atomic<int64_t>>(5);
  const auto behind = std::make_shared<std::atomic<int64_t>>(0);
  const auto gone = std::make_shared<std::atomic<int64_t>>(0);
  const MovedBytes::Waiting first(moved, own), second(moved, behind);
  { const MovedBytes::Waiting third(moved, gone); }
  const std::string bytes(2 * limits::kChunkBytes + 10, 'x');
  master.on_contribute = [&](const rpc::ContributionChunk& chunk) -> Status {
    EXPECT_EQ(*own, 5 + chunk.offset) << "before the answer nothing of it counts";
    return chunk.offset == 2 * limits::kChunkBytes ? Unavailable({.message = "lost"})
                                                   : absl::OkStatus();
  };
  const std::span<const std::byte> whole = std::as_bytes(std::span(bytes));
  const auto sent = SendContributionBytes({.master = master, .moved = moved},
                                          {.session = 1, .hash = 7}, std::span(&whole, 1));
  EXPECT_THAT(sent, test::IsError(absl::StatusCode::kUnavailable, "lost"));
  EXPECT_EQ(*own, 5 + 2 * limits::kChunkBytes);
  EXPECT_EQ(*behind, 2 * limits::kChunkBytes);
  EXPECT_EQ(*gone, 0);
}

// The connection was lost after the master had received a chunk and a half.
TEST(Transfer, InterruptedDeliveryContinuesAtMasterOffset) {
  ScriptedMaster master;
  MovedBytes moved;
  std::string bytes(3 * limits::kChunkBytes, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7 + i / 4096);
  constexpr int64_t kThere = limits::kChunkBytes + limits::kChunkBytes / 2;
  master.received_before = kThere;
  std::vector<int64_t> offsets;
  master.on_contribute = [&](const rpc::ContributionChunk& chunk) -> Status {
    offsets.push_back(chunk.offset);
    EXPECT_EQ(chunk.bytes, bytes.substr(static_cast<size_t>(chunk.offset), chunk.bytes.size()));
    return absl::OkStatus();
  };
  const std::span<const std::byte> whole = std::as_bytes(std::span(bytes));
  const auto sent = SendContributionBytes({master, moved}, {.session = 1}, std::span(&whole, 1));
  DL_ASSERT_OK(sent.status());
  EXPECT_EQ(sent->receipt, rpc::Receipt::kComplete);
  EXPECT_EQ(offsets, (std::vector<int64_t>{0, kThere, kThere + limits::kChunkBytes}));
}

TEST(Transfer, MasterWithFewerBytesEndsDelivery) {
  ScriptedMaster master;
  MovedBytes moved;
  const std::string bytes(3 * limits::kChunkBytes, 'x');
  master.received_at_most = limits::kChunkBytes;
  const std::span<const std::byte> whole = std::as_bytes(std::span(bytes));
  EXPECT_THAT(
      SendContributionBytes({master, moved}, {.session = 1}, std::span(&whole, 1)),
      test::IsError(absl::StatusCode::kUnavailable, "the master requests bytes from offset"));
}

TEST(Transfer, PiecesTravelAsIfTheyWereOne) {
  ScriptedMaster master;
  MovedBytes moved;
  std::string whole(2 * limits::kChunkBytes + 10, '\0');
  for (size_t i = 0; i < whole.size(); ++i) whole[i] = static_cast<char>(i * 7 + i / 4096);
  std::vector<std::span<const std::byte>> pieces;
  const auto bytes = std::as_bytes(std::span(whole));
  for (size_t at = 0; at < bytes.size();) {
    const size_t size = std::min<size_t>(bytes.size() - at, 1 + 700'001 * pieces.size());
    pieces.push_back(bytes.subspan(at, size));
    at += size;
  }
  ASSERT_GT(pieces.size(), 3u);
  std::string got;
  master.on_contribute = [&](const rpc::ContributionChunk& chunk) -> Status {
    EXPECT_EQ(chunk.offset, static_cast<int64_t>(got.size()));
    EXPECT_EQ(chunk.total, static_cast<int64_t>(whole.size()));
    EXPECT_EQ(chunk.gather, 9u);
    EXPECT_EQ(Xxh3(chunk.bytes), chunk.chunk_xxh3);
    got += chunk.bytes;
    return absl::OkStatus();
  };
  DL_EXPECT_OK(
      SendContributionBytes({.master = master, .moved = moved}, {.gather = 9}, pieces).status());
  EXPECT_EQ(got, whole);
  EXPECT_EQ(Xxh3(pieces), Xxh3(whole));
}

}  // namespace
}  // namespace dl::executor
