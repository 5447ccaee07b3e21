#include "rpc/convert.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "tests/unit/rpc/sample_messages.h"

namespace dl::rpc {
namespace {

#define DL_ROUND_TRIP(name)                                      \
  TEST(ConvertTest, RoundTripOf##name) {                         \
    const name sample = Sample<name>();                          \
    ASSERT_FALSE(sample == name{}) << "the sample says nothing"; \
    auto wire = ToWire(name(sample));                            \
    ASSERT_TRUE(wire.ok()) << wire.status();                     \
    auto back = FromWire<name>(*std::move(wire));                \
    ASSERT_TRUE(back.ok()) << back.status();                     \
    EXPECT_TRUE(*back == sample);                                \
  }
DL_RPC_MESSAGES(DL_ROUND_TRIP)
#undef DL_ROUND_TRIP

TEST(ConvertTest, ALendingConversionLeavesTheMessageAndItsBytes) {
  const ContributionChunk chunk = Sample<ContributionChunk>();
  const std::string* bytes = nullptr;
  auto wire = ToWireLending(chunk, &bytes);
  ASSERT_TRUE(wire.ok()) << wire.status();
  EXPECT_EQ(bytes, &chunk.bytes);
  EXPECT_TRUE(chunk == Sample<ContributionChunk>());
  wire->bytes = *bytes;
  EXPECT_TRUE(*FromWire<ContributionChunk>(*wire) == chunk);

  const AnnounceRequest without = Sample<AnnounceRequest>();  // its `bytes` is a number
  ASSERT_TRUE(ToWireLending(without, &bytes).ok());
  EXPECT_EQ(bytes, nullptr);
}

TEST(ConvertTest, EveryEnumValueTravels) {
  for (Verdict v : {Verdict::kSend, Verdict::kDone, Verdict::kUnwanted}) {
    EXPECT_EQ(FromWire<AnnounceReply>(*ToWire(AnnounceReply{v}))->verdict, v);
  }
  for (Receipt r : {Receipt::kMore, Receipt::kComplete, Receipt::kWait, Receipt::kUnwanted}) {
    EXPECT_EQ(FromWire<ContributionReply>(*ToWire(ContributionReply{.receipt = r}))->receipt, r);
  }
  for (JobAction a : {JobAction::kCancel, JobAction::kResume, JobAction::kCheckpoint,
                      JobAction::kPin, JobAction::kUnpin}) {
    EXPECT_EQ(FromWire<JobActionRequest>(*ToWire(JobActionRequest{.action = a}))->action, a);
  }
  for (UnitKind k : {UnitKind::kTrain, UnitKind::kEvaluate}) {
    EXPECT_EQ(FromWire<UnitId>(*ToWire(UnitId{.kind = k}))->kind, k);
  }
}

TEST(ConvertTest, UnknownEnumValuesAreErrors) {
  // 257 and -255 would become 1 in eight bits.
  for (int32_t value : {0, 6, -1, 257, -255, 1 << 30}) {
    wire::AnnounceReply verdict;
    verdict.verdict = value;
    EXPECT_EQ(FromWire<AnnounceReply>(verdict).status().code(), absl::StatusCode::kInvalidArgument)
        << value;
    wire::ContributionReply receipt;
    receipt.receipt = value;
    EXPECT_EQ(FromWire<ContributionReply>(receipt).status().code(),
              absl::StatusCode::kInvalidArgument)
        << value;
    wire::JobActionRequest action;
    action.action = value;
    EXPECT_EQ(FromWire<JobActionRequest>(action).status().code(),
              absl::StatusCode::kInvalidArgument)
        << value;
    wire::LeaseReply nested;
    nested.leases.resize(1);
    nested.leases[0].unit.kind = value;
    Status status = FromWire<LeaseReply>(nested).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << value;
    EXPECT_EQ(ErrorWhere(status), "kind");
  }
}

TEST(ConvertTest, AbsentHintNeedsNoKind) {
  wire::Lease lease;
  lease.unit.kind = 1;
  auto message = FromWire<Lease>(lease);
  ASSERT_TRUE(message.ok()) << message.status();
  EXPECT_FALSE(message->has_hint);
}

TEST(ConvertTest, WhatCannotBeReadIsNotSent) {
  QueryReply text{.json = std::string(limits::kMaxStringBytes + 1, 'x')};
  EXPECT_EQ(ToWire(std::move(text)).status().code(), absl::StatusCode::kResourceExhausted);

  SubmitRequest sum{.spec = std::string(limits::kMaxStringBytes, 'x'),
                    .train_manifest = std::string(16 << 20, 'x')};
  EXPECT_EQ(ToWire(std::move(sum)).status().code(), absl::StatusCode::kResourceExhausted);

  MissingBlocksReply names{.missing = std::vector<std::string>(limits::kMaxListEntries + 1)};
  Status status = ToWire(std::move(names)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ErrorWhere(status), "missing");

  AnnounceRequest numbers{.magnitudes = std::vector<double>(limits::kMaxContainer + 1)};
  EXPECT_EQ(ToWire(std::move(numbers)).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(ConvertTest, ErrorsKeepCodeMessageWhereAndRemedy) {
  for (int code = 1; code <= 16; ++code) {
    const Status status =
        MakeError(static_cast<absl::StatusCode>(code),
                  {.message = "what", .where = "job j, worker 3", .remedy = "Do this."});
    EXPECT_EQ(ErrorFromWire(ErrorToWire(status)), status) << code;
  }
}

TEST(ConvertTest, OddErrorCodesAreStillErrors) {
  for (const char* code : {"ok", "", "of_the_future"}) {
    wire::RpcError error;
    error.code = code;
    error.message = "m";
    EXPECT_EQ(ErrorFromWire(error).code(), absl::StatusCode::kUnknown) << code;
  }
}

}  // namespace
}  // namespace dl::rpc
