// Samples of every message. Every field has a value that differs from its default.
#pragma once

#include "rpc/messages.h"

namespace dl::rpc {

inline UnitId SampleUnit() {
  return {.job = "lenet-1", .kind = UnitKind::kEvaluate, .round = 1234567890123, .index = 7};
}
inline std::string SampleBytes() { return std::string("\0\xff\x80 bytes\n\0", 11); }

template <typename Message>
Message Sample();

// All samples have this session. A client that registers opens it and can then send all samples.
inline constexpr uint64_t kSampleSession = 1ull << 63;

#define DL_SAMPLE(name) \
  template <>           \
  inline name Sample<name>()

DL_SAMPLE(CrashedUnit) {
  return {
      .unit = SampleUnit(), .spec_sha256 = "5bec", .signal = "SIGSEGV", .lease = 78, .ticket = 79};
}
DL_SAMPLE(HeldContribution) { return {.unit = SampleUnit(), .hash = 0xfedcba9876543210}; }
DL_SAMPLE(OfferedContract) { return {.contract = "c1", .isa = "avx2"}; }
DL_SAMPLE(Retries) {
  return {.sessions = 81, .leases = 82, .jobs = 83, .states = 84, .blocks = 85, .results = 86};
}
DL_SAMPLE(RegisterRequest) {
  return {.executor = "host-1",
          .incarnation = UINT64_MAX,
          .slots = 2,
          .contracts = {Sample<OfferedContract>()},
          .host = "h",
          .pid = 77,
          .version = "0.1",
          .held_parts = {"aa", "bb"},
          .held_contributions = {Sample<HeldContribution>()},
          .crashed = {Sample<CrashedUnit>()},
          .unit_memory_bytes = 76,
          .labels = {"k=v", "l=w"},
          .retries = Sample<Retries>()};
}
DL_SAMPLE(RegisterReply) { return {.session = kSampleSession, .term = 2, .heartbeat_ms = 3}; }
DL_SAMPLE(UnitProgress) {
  return {.unit = SampleUnit(),
          .lease = 5,
          .steps_done = 6,
          .steps_total = 7,
          .bytes_moved = 71,
          .computing = true};
}
DL_SAMPLE(HeartbeatRequest) {
  return {.session = kSampleSession,
          .running = {Sample<UnitProgress>(), Sample<UnitProgress>()},
          .blocks_cached_bytes = 10,
          .blocks_read_bytes = 11,
          .blocks_fetched_bytes = 12,
          .notices_seen = 72,
          .retries = Sample<Retries>()};
}
DL_SAMPLE(CommitNotice) { return {.job = "j", .round = 13}; }
DL_SAMPLE(GatherInput) { return {.index = 3, .hash = 0xfedcba9876543211, .weight = 74}; }
DL_SAMPLE(Gather) {
  return {.number = 75,
          .job = "j",
          .round = 76,
          .spec_sha256 = "p",
          .sum = true,
          .exponents = {-1'000'000, 3},
          .weight_sum = 77,
          .inputs = {Sample<GatherInput>(), GatherInput{}}};
}
DL_SAMPLE(HeartbeatReply) {
  return {.abandon = {SampleUnit()},
          .offer = {"j/ab"},
          .committed = {Sample<CommitNotice>()},
          .master_stops = true,
          .number = 73,
          .restart = true,
          .restart_reason = "y",
          .gathers = {Sample<Gather>()},
          .drain = true};
}
DL_SAMPLE(GoodbyeRequest) { return {.session = kSampleSession}; }
DL_SAMPLE(LeaseRequest) { return {.session = kSampleSession, .free_slots = 16, .wait_ms = 17}; }
DL_SAMPLE(Lease) {
  return {.unit = SampleUnit(),
          .lease = 18,
          .base_sha256 = "b",
          .parts = {{.name = "n", .sha256 = "w"}},
          .earlier_updates = 70,
          .plateaus = 71,
          .expected_contract = "c",
          .spec_sha256 = "p",
          .has_hint = true,
          .hint = SampleUnit(),
          .ticket = UINT64_MAX};
}
DL_SAMPLE(LeaseReply) {
  return {.leases = {Sample<Lease>(), Lease{.unit = SampleUnit()}}, .gathers = {Sample<Gather>()}};
}
DL_SAMPLE(AnnounceRequest) {
  return {.session = kSampleSession,
          .lease = 20,
          .unit = SampleUnit(),
          .base_sha256 = "b",
          .hash = 21,
          .bytes = 22,
          .parts = {{.name = "n", .sha256 = "w"}},
          .examples = 23,
          .steps = 24,
          .example_hash_sum = ~0ull,
          .metrics = "{}",
          .magnitudes = {0.5, -1e300, 5e-324},
          .spec_sha256 = "p",
          .free_slots = 2,
          .ticket = UINT64_MAX,
          .unit_us = 91,
          .computing_us = 92,
          .data_wait_us = 93,
          .state_wait_us = 94,
          .activations = std::string("\x01\xff\0", 3)};
}
DL_SAMPLE(AnnounceReply) { return {.verdict = Verdict::kSend}; }
DL_SAMPLE(ContributionChunk) {
  return {.session = kSampleSession,
          .unit = SampleUnit(),
          .hash = 26,
          .gather = 78,
          .total = 27,
          .offset = 28,
          .chunk_xxh3 = 29,
          .bytes = SampleBytes()};
}
DL_SAMPLE(ContributionReply) { return {.receipt = Receipt::kMore, .received = 4096}; }
DL_SAMPLE(FailureReport) {
  return {.session = kSampleSession,
          .lease = 32,
          .unit = SampleUnit(),
          .code = "internal",
          .message = "m",
          .where = "w",
          .remedy = "r",
          .not_finite = true,
          .fault = Fault::kNetwork};
}
DL_SAMPLE(FetchRequest) {
  return {.session = kSampleSession,
          .job = "j",
          .sha256 = "s",
          .offset = 34,
          .length = 35,
          .reader = UINT64_MAX};
}
DL_SAMPLE(Chunk) {
  return {.total = 36,
          .offset = 37,
          .chunk_xxh3 = 38,
          .bytes = SampleBytes(),
          .piece_hashes = "p" + SampleBytes()};
}
DL_SAMPLE(OfferChunk) {
  return {.session = kSampleSession,
          .job = "j",
          .sha256 = "s",
          .total = 40,
          .offset = 41,
          .chunk_xxh3 = 42,
          .bytes = SampleBytes(),
          .piece_hashes = "p" + SampleBytes()};
}
DL_SAMPLE(FetchJobRequest) { return {.session = kSampleSession, .job = "j"}; }
DL_SAMPLE(FetchJobReply) {
  return {.spec = "s", .train_manifest = "t", .test_manifest = "e", .contract = "c"};
}
DL_SAMPLE(SubmitRequest) {
  return {.request_id = "r",
          .spec = "s",
          .train_manifest = "t",
          .test_manifest = "e",
          .resume_from = "j@1",
          .init_from = "j@2",
          .scheduling = {.priority = -81,
                         .after = "j",
                         .max_executors = 82,
                         .labels = {"a=b"},
                         .needs = {"k=v", "c=d"}}};
}
DL_SAMPLE(SubmitReply) {
  return {.job = "j",
          .contract = "c",
          .executors = 74,
          .excluded = 75,
          .too_small = 78,
          .without_labels = 83,
          .unit_bytes = 79,
          .largest_unit_memory = 80,
          .slots = int64_t{84} << 32};
}
DL_SAMPLE(MissingBlocksRequest) { return {.sha256 = {"a", "b", ""}}; }
DL_SAMPLE(MissingBlocksReply) { return {.missing = {"b"}}; }
DL_SAMPLE(PutBlocksRequest) {
  return {.sha256 = {"s", "t"}, .sizes = {1, 2}, .bytes = SampleBytes()};
}
DL_SAMPLE(JobActionRequest) {
  return {.request_id = "r",
          .job = "j",
          .action = JobAction::kPin,
          .round = 44,
          .set_aside = 2,
          .rebind = true,
          .isa = "avx2"};
}
DL_SAMPLE(JobActionReply) { return {.message = "m"}; }
DL_SAMPLE(QueryRequest) {
  return {.what = rpc::QueryKind::kJob,
          .job = "j",
          .first = 48,
          .max_age_ms = 49,
          .series = "s",
          .last = 55,
          .max_entries = 56,
          .branch = 57,
          .buckets = true};
}
DL_SAMPLE(QueryReply) { return {.json = "{\"a\":1}", .next_first = 49, .age_ms = 51}; }
DL_SAMPLE(EventsRequest) { return {.job = "j", .after = 45, .wait_ms = 46}; }
DL_SAMPLE(EventsReply) { return {.events = {"{}", "{}"}, .last = 47, .terminal = true}; }
DL_SAMPLE(EndReadRequest) { return {.checkpoint = "j@3", .reader = UINT64_MAX}; }
DL_SAMPLE(DrainRequest) { return {.executors = "h"}; }
DL_SAMPLE(DrainReply) { return {.executors = {"e", "f"}}; }
DL_SAMPLE(MeasureRequest) { return {.bytes = "d", .reply_bytes = 53}; }
DL_SAMPLE(MeasureReply) { return {.bytes = "a", .unix_ms = 54}; }
DL_SAMPLE(CreateTokenRequest) {
  return {.owner = "o", .role = "read", .lifetime_ms = 52, .executor = "e"};
}
DL_SAMPLE(CreateTokenReply) { return {.token = "t"}; }
DL_SAMPLE(ListTokensRequest) { return {}; }
DL_SAMPLE(ListTokensReply) { return {.json = "[]"}; }
DL_SAMPLE(RevokeTokenRequest) { return {.id = "i"}; }
#undef DL_SAMPLE

}  // namespace dl::rpc
