// Requests of executors that the gateway refuses or changes before the core processes them.
#include "master/gateway/executor_requests.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "tests/support/status_matchers.h"

namespace dl::master {
namespace {

using test::IsError;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

rpc::RegisterRequest Registration(int32_t slots) {
  return {.executor = "e1", .slots = slots, .contracts = {{"c", "avx2"}}};
}

TEST(ExecutorRequests, NumberOfSlotsIsChecked) {
  for (const int32_t slots : {1, limits::kMaxSlots}) DL_EXPECT_OK(ForCore(Registration(slots)));
  for (const int32_t slots : {INT32_MIN, -1, 0, limits::kMaxSlots + 1, INT32_MAX})
    EXPECT_THAT(ForCore(Registration(slots)), IsError(kInvalid, "1 to 1024 slots")) << slots;
}

TEST(ExecutorRequests, RequestForZeroUnitsIsRefused) {
  DL_EXPECT_OK(ForCore(rpc::LeaseRequest{.free_slots = 1}));
  for (const int32_t slots : {0, -1, INT32_MIN})
    EXPECT_THAT(ForCore(rpc::LeaseRequest{.free_slots = slots}), IsError(kInvalid, "slots"));
}

TEST(ExecutorRequests, AnswerIsDelayedForLimitedTime) {
  const auto wait = [](int64_t asked) {
    return ForCore(rpc::LeaseRequest{.free_slots = 1, .wait_ms = asked})->wait_ms;
  };
  EXPECT_EQ(wait(INT64_MIN), 0);
  EXPECT_EQ(wait(7), 7);
  EXPECT_EQ(wait(INT64_MAX), limits::kLongPoll / std::chrono::milliseconds(1));
}

}  // namespace
}  // namespace dl::master
