#include "rpc/convert.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "rpc/failure_report.h"
#include "rpc/held_lists.h"
#include "rpc/remedy.h"
#include "tests/unit/rpc/sample_messages.h"

namespace dl::rpc {
namespace {

#define DL_ROUND_TRIP(name)                                        \
  TEST(ConvertTest, RoundTripOf##name) {                           \
    const name sample = Sample<name>();                            \
    if (!std::is_empty_v<name>) {                                  \
      ASSERT_FALSE(sample == name{}) << "the sample says nothing"; \
    }                                                              \
    auto wire = ToWire(name(sample));                              \
    ASSERT_TRUE(wire.ok()) << wire.status();                       \
    auto back = FromWire<name>(*std::move(wire));                  \
    ASSERT_TRUE(back.ok()) << back.status();                       \
    EXPECT_TRUE(*back == sample);                                  \
  }
DL_RPC_MESSAGES(DL_ROUND_TRIP)
#undef DL_ROUND_TRIP

TEST(ConvertTest, LendingConversionKeepsMessage) {
  const ContributionChunk chunk = Sample<ContributionChunk>();
  const std::string* bytes = nullptr;
  auto wire = ToWireLending(chunk, &bytes);
  ASSERT_TRUE(wire.ok()) << wire.status();
  EXPECT_EQ(bytes, &chunk.bytes);
  EXPECT_TRUE(chunk == Sample<ContributionChunk>());
  wire->bytes = *bytes;
  EXPECT_TRUE(*FromWire<ContributionChunk>(*wire) == chunk);

  const OfferChunk offer = Sample<OfferChunk>();  // has another field of bytes, which is converted
                                                  // as usual
  auto offered = ToWireLending(offer, &bytes);
  ASSERT_TRUE(offered.ok()) << offered.status();
  EXPECT_EQ(bytes, &offer.bytes);
  EXPECT_EQ(offered->piece_hashes, offer.piece_hashes);

  const AnnounceRequest without = Sample<AnnounceRequest>();  // `bytes` of this message is a number
  ASSERT_TRUE(ToWireLending(without, &bytes).ok());
  EXPECT_EQ(bytes, nullptr);
}

TEST(ConvertTest, EveryEnumValueTravels) {
  for (Verdict v : {Verdict::kSend, Verdict::kDone, Verdict::kUnwanted}) {
    EXPECT_EQ(FromWire<AnnounceReply>(*ToWire(AnnounceReply{v}))->verdict, v);
  }
  for (Receipt r : {Receipt::kMore, Receipt::kComplete, Receipt::kUnwanted}) {
    EXPECT_EQ(FromWire<ContributionReply>(*ToWire(ContributionReply{.receipt = r}))->receipt, r);
  }
  for (JobAction a : {JobAction::kCancel, JobAction::kResume, JobAction::kCheckpoint,
                      JobAction::kPin, JobAction::kUnpin, JobAction::kDelete, JobAction::kPause}) {
    EXPECT_EQ(FromWire<JobActionRequest>(*ToWire(JobActionRequest{.action = a}))->action, a);
  }
  for (const QueryKind what : {QueryKind::kJobs, QueryKind::kCluster, QueryKind::kJob,
                               QueryKind::kResult, QueryKind::kCheckpoints, QueryKind::kSpec,
                               QueryKind::kTrainManifest, QueryKind::kTestManifest, QueryKind::kLog,
                               QueryKind::kSeries, QueryKind::kTimeline, QueryKind::kHistograms}) {
    EXPECT_EQ(FromWire<QueryRequest>(*ToWire(QueryRequest{.what = what}))->what, what);
  }
  for (Fault f : {Fault::kUnit, Fault::kExecutor, Fault::kMaster, Fault::kNetwork}) {
    EXPECT_EQ(FromWire<FailureReport>(*ToWire(FailureReport{.fault = f}))->fault, f);
  }
  for (UnitKind k : {UnitKind::kTrain, UnitKind::kEvaluate}) {
    EXPECT_EQ(FromWire<UnitId>(*ToWire(UnitId{.kind = k}))->kind, k);
  }
}

TEST(ConvertTest, UnknownEnumValuesAreErrors) {
  // In eight bits, 257 and -255 would become 1.
  for (int32_t value : {0, 100, -1, 257, -255, 1 << 30}) {
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
    wire::QueryRequest query;
    query.what = value;
    const Status unknown = FromWire<QueryRequest>(query).status();
    EXPECT_EQ(unknown.code(), absl::StatusCode::kInvalidArgument) << value;
    EXPECT_EQ(ErrorWhere(unknown), "what");
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

TEST(ConvertTest, UnreadableMessageIsNotSent) {
  QueryReply text{.json = std::string(limits::kMaxStringBytes + 1, 'x')};
  EXPECT_EQ(ToWire(std::move(text)).status().code(), absl::StatusCode::kResourceExhausted);

  SubmitRequest sum{.train_manifest = std::string(limits::kMaxStringBytes, 'x'),
                    .test_manifest = std::string(16 << 20, 'x')};
  EXPECT_EQ(ToWire(std::move(sum)).status().code(), absl::StatusCode::kResourceExhausted);

  MissingBlocksReply names{.missing = std::vector<std::string>(limits::kMaxListEntries + 1)};
  Status status = ToWire(std::move(names)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ErrorWhere(status), "missing");

  AnnounceRequest numbers{.magnitudes = std::vector<double>(limits::kMaxContainer + 1)};
  EXPECT_EQ(ToWire(std::move(numbers)).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(ConvertTest, ListsHoldWhatAnExecutorCan) {
  const auto expect_limit = [](auto message, auto& list, int64_t limit) {
    list.resize(limit);
    EXPECT_TRUE(ToWire(message()).ok()) << limit;
    list.resize(limit + 1);
    EXPECT_EQ(ToWire(message()).status().code(), absl::StatusCode::kResourceExhausted) << limit;
    list.clear();
  };
  RegisterRequest held;
  const auto registration = [&] { return held; };
  expect_limit(registration, held.held_parts, limits::kMaxHeldParts);
  expect_limit(registration, held.held_contributions, limits::kMaxHeldContributions);
  expect_limit(registration, held.crashed, limits::kMaxSlots);
  HeartbeatRequest heartbeat;
  expect_limit([&] { return heartbeat; }, heartbeat.running, limits::kMaxUnitsInProgress);
}

TEST(ConvertTest, RegistrationIsCutToMostUsefulEntries) {
  RegisterRequest much;
  for (int i = 0; i < limits::kMaxHeldParts + 5; ++i) much.held_parts.push_back(std::to_string(i));
  for (int i = 0; i < limits::kMaxHeldContributions + 5; ++i)
    much.held_contributions.push_back({.unit = {.round = i}});
  const RegisterRequest cut = CutToLimits(much);
  EXPECT_TRUE(ToWire(RegisterRequest(cut)).ok());
  EXPECT_EQ(cut.held_parts.front(), "0");
  EXPECT_EQ(cut.held_parts.size(), limits::kMaxHeldParts);
  EXPECT_EQ(cut.held_contributions.back(), much.held_contributions.back());
  EXPECT_EQ(cut.held_contributions.size(), limits::kMaxHeldContributions);
  EXPECT_EQ(CutToLimits(Sample<RegisterRequest>()), Sample<RegisterRequest>());
}

TEST(ConvertTest, ListOfHeldResultsHasTheLatestOfEachJob) {
  std::vector<HeldContribution> held;
  for (const auto& [job, rounds] : {std::pair{"a", 1}, {"b", 5}, {"c", 9}}) {
    for (int64_t round = 1; round <= rounds; ++round)
      held.push_back({{job, UnitKind::kTrain, round, 0}, static_cast<uint64_t>(round)});
  }
  KeepLastOfEachJob(held, 6);
  std::vector<std::string> kept;
  for (const HeldContribution& one : held) kept.push_back(ToString(one.unit));
  std::vector<std::string> expected;
  for (const auto& [job, round] :
       {std::pair{"a", 1}, {"b", 3}, {"b", 4}, {"b", 5}, {"c", 8}, {"c", 9}})
    expected.push_back(ToString(UnitId{job, UnitKind::kTrain, round, 0}));
  EXPECT_EQ(kept, expected);
}

// Expects that both directions of the conversion refuse the text and name the field.
template <typename Message>
void ExpectRefusedText(const Message& message, typename WireOf<Message>::Type wire,
                       std::string_view field) {
  for (const Status& status :
       {ToWire(Message(message)).status(), FromWire<Message>(std::move(wire)).status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_EQ(ErrorWhere(status), field);
  }
}

TEST(ConvertTest, TextsAreUtf8AndBytesAreBytes) {
  const std::string bad = "h\xff";
  RegisterRequest host = Sample<RegisterRequest>();
  wire::RegisterRequest wire_host = *ToWire(RegisterRequest(host));
  host.host = wire_host.host = bad;
  ExpectRefusedText(host, wire_host, "host");

  wire::SubmitRequest spec;
  spec.spec = bad;
  ExpectRefusedText(SubmitRequest{.spec = bad}, spec, "spec");

  wire::MissingBlocksRequest list;
  list.sha256 = {"good", bad};
  ExpectRefusedText(MissingBlocksRequest{.sha256 = {"good", bad}}, list, "sha256");

  wire::CommitNotice unit;
  unit.job = bad;
  ExpectRefusedText(CommitNotice{.job = bad}, unit, "job");

  EXPECT_TRUE(ToWire(Chunk{.bytes = bad, .piece_hashes = bad}).ok());
  wire::Chunk chunk;
  chunk.bytes = bad;
  chunk.piece_hashes = bad;
  EXPECT_EQ(FromWire<Chunk>(chunk)->bytes, bad);
  EXPECT_EQ(FromWire<Chunk>(chunk)->piece_hashes, bad);
}

TEST(ConvertTest, PieceHashesAreLimitedToLargestPart) {
  const std::string most(limits::kMaxPieceHashesBytes, '\xff'), more = most + "x";
  wire::Chunk answer;
  answer.piece_hashes = more;
  ExpectRefusedText(Chunk{.piece_hashes = more}, answer, "piece_hashes");
  wire::OfferChunk offer;
  offer.piece_hashes = more;
  ExpectRefusedText(OfferChunk{.piece_hashes = more}, offer, "piece_hashes");
  answer.piece_hashes = most;
  EXPECT_EQ(FromWire<Chunk>(answer)->piece_hashes, most);
  EXPECT_TRUE(ToWire(OfferChunk{.piece_hashes = most}).ok());
}

TEST(ConvertTest, TextsAreShortUnlessTheyAreDocuments) {
  const auto letters = [](int64_t count) { return std::string(count, 'x'); };
  const auto expect_limit = [&](auto message, std::string& text, int64_t limit) {
    text = letters(limit);
    EXPECT_TRUE(ToWire(message()).ok()) << limit;
    text = letters(limit + 1);
    EXPECT_EQ(ToWire(message()).status().code(), absl::StatusCode::kInvalidArgument) << limit;
  };
  std::string text;
  expect_limit([&] { return JobActionRequest{.request_id = text}; }, text, limits::kMaxRequestId);
  expect_limit([&] { return SubmitRequest{.request_id = text}; }, text, limits::kMaxRequestId);
  expect_limit([&] { return EventsRequest{.job = text}; }, text, limits::kMaxJobId);
  // These texts appear in logs and tables.
  expect_limit([&] { return RegisterRequest{.executor = text}; }, text, limits::kMaxExecutorName);
  expect_limit([&] { return RegisterRequest{.host = text}; }, text, limits::kMaxHostText);
  expect_limit([&] { return RegisterRequest{.version = text}; }, text, limits::kMaxWordText);
  expect_limit(
      [&] {
        return RegisterRequest{.contracts = {{text, "avx2"}}};
      },
      text, limits::kMaxContractText);
  expect_limit(
      [&] {
        return RegisterRequest{.contracts = {{"c", text}}};
      },
      text, limits::kMaxWordText);
  expect_limit([&] { return RegisterRequest{.labels = {text}}; }, text,
               2 * limits::kMaxLabelPart + 1);
  expect_limit([&] { return RegisterRequest{.held_parts = {text}}; }, text, limits::kMaxWordText);
  expect_limit([&] { return RegisterRequest{.crashed = {{.spec_sha256 = text}}}; }, text,
               limits::kMaxWordText);
  expect_limit([&] { return FailureReport{.message = text}; }, text, limits::kMaxShortText);
  expect_limit([&] { return SubmitRequest{.spec = text}; }, text, limits::kMaxSpecBytes);
  expect_limit([&] { return AnnounceRequest{.metrics = text}; }, text, limits::kMaxMetricsBytes);

  wire::JobActionRequest action;
  action.request_id = letters(limits::kMaxRequestId + 1);
  action.action = 1;
  EXPECT_EQ(ErrorWhere(FromWire<JobActionRequest>(action).status()), "request_id");

  const std::string document = letters(1 << 20);
  EXPECT_TRUE(
      ToWire(SubmitRequest{.spec = document, .train_manifest = document, .test_manifest = document})
          .ok());
  EXPECT_TRUE(ToWire(AnnounceRequest{.metrics = document}).ok());
  EXPECT_TRUE(ToWire(QueryReply{.json = document}).ok());
  EXPECT_TRUE(ToWire(EventsReply{.events = {document}}).ok());
}

TEST(ConvertTest, LongFailureReportIsCut) {
  std::string message;
  for (int i = 0; i < 1'000'000; ++i) message += "\xc3\xa4";
  const FailureReport cut = CutToLimits({.code = "internal",
                                         .message = message,
                                         .where = "/data/\xff",
                                         .remedy = std::string(9999, '\xff')});
  EXPECT_TRUE(ToWire(FailureReport(cut)).ok()) << ToWire(FailureReport(cut)).status();
  EXPECT_EQ(cut.code, "internal");
  EXPECT_EQ(cut.message, message.substr(0, limits::kMaxShortText));
  EXPECT_EQ(cut.where, "/data/\xef\xbf\xbd");
  EXPECT_EQ(CutToLimits(Sample<FailureReport>()), Sample<FailureReport>());
}

TEST(ConvertTest, TextsOfErrorsAreCutAndRepaired) {
  std::string message = "x";  // makes the limit fall into the middle of a character
  for (int64_t i = 0; i < limits::kMaxErrorText; ++i) message += "\xc3\xa4";
  const wire::RpcError sent =
      ErrorToWire(NotFound({.message = message, .where = "f\xff", .remedy = "r"}));
  EXPECT_EQ(sent.message, message.substr(0, limits::kMaxErrorText - 1));
  EXPECT_EQ(sent.where, "f\xef\xbf\xbd");
  wire::RpcError arrived;
  arrived.code = "not_found";
  arrived.message = "m\xff";
  arrived.remedy = std::string(2 * limits::kMaxErrorText, 'x');
  const Status error = ErrorFromWire(arrived);
  EXPECT_EQ(error.message(), "m\xef\xbf\xbd");
  EXPECT_EQ(static_cast<int64_t>(ErrorRemedy(error).size()), limits::kMaxErrorText);
}

TEST(ConvertTest, ErrorsKeepRemedyAsData) {
  const Remedy remedy{.kind = RemedyKind::kBeginFrom, .job = "lenet-1", .round = 0};
  const Status error = AttachRemedy(FailedPrecondition({.message = "m"}), remedy);
  wire::RpcError sent = ErrorToWire(error);
  EXPECT_EQ(ErrorFromWire(sent), error);
  EXPECT_EQ(RemedyOf(ErrorFromWire(sent)), remedy);
  for (const int32_t kind : {1000, 256 + 1, 0, -1}) {  // 1000: of a newer master
    sent.action.kind = kind;
    EXPECT_EQ(RemedyOf(ErrorFromWire(sent)), Remedy{});
    EXPECT_EQ(ErrorFromWire(sent).message(), "m");
  }
  sent = ErrorToWire(FailedPrecondition({.message = "m", .remedy = "Do this"}));
  EXPECT_FALSE(sent.__isset.action);
  EXPECT_EQ(ErrorRemedy(ErrorFromWire(sent)), "Do this");
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
