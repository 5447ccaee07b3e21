#include "executor/transfer.h"

#include "base/limits.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/executor/scripted_master.h"

namespace dl::executor {
namespace {

TEST(Transfer, WhatIsAcknowledgedIsCountedForAllThatWait) {
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
  const auto sent = SendContributionBytes(master, 1, {}, 7, std::as_bytes(std::span(bytes)), moved);
  EXPECT_THAT(sent, test::IsError(absl::StatusCode::kUnavailable, "lost"));
  EXPECT_EQ(*own, 5 + 2 * limits::kChunkBytes);
  EXPECT_EQ(*behind, 2 * limits::kChunkBytes);
  EXPECT_EQ(*gone, 0);
}

}  // namespace
}  // namespace dl::executor
