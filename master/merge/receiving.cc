#include "master/merge/receiving.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/piece_verifier.h"
#include "master/merge/received_content.h"

namespace dl::master {
namespace {

constexpr int64_t kMinReportedBytes = int64_t{1} << 20;
constexpr rpc::ContributionReply kUnwanted{rpc::Receipt::kUnwanted};
constexpr rpc::ContributionReply kComplete{rpc::Receipt::kComplete};

rpc::ContributionReply More(int64_t received) {
  return {.receipt = rpc::Receipt::kMore, .received = received};
}

// Verifies an offered part by the piece hashes in its first chunk. The message does not say which
// part of a state it is. Several parts may have its size, but the name depends on the segment
// table, so only one matches.
StatusOr<PieceVerifier> PiecesOf(const averaging::StateLayout& layout,
                                 const rpc::OfferChunk& chunk) {
  Status refusal =
      InvalidArgument({.message = absl::StrCat("an offered part of ", chunk.total,
                                               " bytes has the size of no part of the job's state"),
                       .where = chunk.sha256});
  for (const averaging::PartLayout& part : layout.parts) {
    if (part.bytes() != chunk.total) continue;
    auto pieces = PieceVerifier::Create(part.table, chunk.sha256, chunk.piece_hashes);
    if (pieces.ok()) return pieces;
    refusal = WithContext(pieces.status(), "an offered part is not what its name says");
  }
  return refusal;
}

}  // namespace

StatusOr<rpc::ContributionReply> Receiving::Contribute(const rpc::ContributionChunk& chunk) {
  if (chunk.gather != 0) return ContributeGathered(chunk);
  const RunningJobs::Data data = jobs_.Find(chunk.unit.job);
  if (data == nullptr) return kUnwanted;
  const std::optional<Staging::Staged> expected =
      data->staging.Find(chunk.unit, chunk.hash, chunk.session);
  if (!expected) return kUnwanted;
  if (expected->vector != nullptr) return kComplete;
  Receiver& receiver = *expected->receiver;
  const auto taken = receiver.Take(chunk.offset, chunk.total, chunk.chunk_xxh3, chunk.bytes);
  if (!taken.ok()) return WithContext(taken.status(), ToString(chunk.unit));
  if (taken->progress == Receiver::Progress::kMore) {
    RecordArrival(chunk, *taken, expected->number);
    return More(taken->received);
  }

  const Sent sent{.unit = chunk.unit, .number = expected->number, .session = chunk.session};
  if (Status status = CheckContribution(*data->material.strategy, *taken->vector,
                                        {chunk.hash, *expected->magnitudes, expected->parts});
      !status.ok()) {
    receiver.Discard(taken->vector);
    status = WithContext(status, ToString(chunk.unit));
    post_(ContributionRefused{sent.unit, sent.number, sent.session, status});
    return status;
  }
  return Stage(data, sent, taken->vector);
}

// The core needs this to determine whether a delivery progresses. Small amounts are not worth an
// event.
void Receiving::RecordArrival(const rpc::ContributionChunk& chunk,
                              const Receiver::TakeResult& taken, uint64_t number) {
  if (taken.fresh < kMinReportedBytes && taken.deliveries_without_progress == 0) return;
  post_(BytesArrived{.unit = chunk.unit,
                     .number = number,
                     .gather = chunk.gather != 0,
                     .session = chunk.session,
                     .deliveries_without_progress = taken.deliveries_without_progress});
}

StatusOr<rpc::ContributionReply> Receiving::Contribute(uint64_t session, const UnitId& unit,
                                                       uint64_t hash, SharedVector vector) {
  const RunningJobs::Data data = jobs_.Find(unit.job);
  if (data == nullptr) return kUnwanted;
  if (vector->size() != data->material.layout().unit.size()) {
    return InvalidArgument(
        {.message = "the size of a contribution differs from the size of its model",
         .where = ToString(unit)});
  }
  const std::optional<Staging::Staged> expected = data->staging.Find(unit, hash, session);
  if (!expected) return kUnwanted;
  return Stage(data, {.unit = unit, .number = expected->number, .session = session},
               std::move(vector));
}

rpc::ContributionReply Receiving::Stage(const RunningJobs::Data& data, const Sent& sent,
                                        SharedVector vector) {
  // The merge thread must get the vector before the core can request the merge.
  switch (data->staging.Keep(
      sent.unit, sent.number, std::move(vector),
      [&](const Staging::Staged& kept) { merges_.Add(data, sent.unit, kept); })) {
    case Staging::KeepResult::kNotExpected:
      return kUnwanted;
    case Staging::KeepResult::kAlreadyKept:
      return kComplete;
    case Staging::KeepResult::kKept:
      break;
  }
  post_(ContributionStaged{sent.unit, sent.number, sent.session});
  return kComplete;
}

StatusOr<rpc::ContributionReply> Receiving::ContributeGathered(
    const rpc::ContributionChunk& chunk) {
  const RunningJobs::Data data = jobs_.Find(chunk.unit.job);
  if (data == nullptr) return kUnwanted;
  const std::optional<Gathers::Arriving> arriving = data->gathers.Find(chunk.gather);
  // Other sessions may guess the number.
  if (!arriving || arriving->expected->session != chunk.session) return kUnwanted;
  if (arriving->receiver == nullptr) return kComplete;
  const ExpectGather& expected = *arriving->expected;
  Receiver& receiver = *arriving->receiver;
  const auto taken = receiver.Take(chunk.offset, chunk.total, chunk.chunk_xxh3, chunk.bytes);
  if (!taken.ok()) return WithContext(taken.status(), ToString(FirstUnit(expected)));
  if (taken->progress == Receiver::Progress::kMore) {
    RecordArrival(chunk, *taken, chunk.gather);
    return More(taken->received);
  }

  const std::shared_ptr<FloatBuffer>& content = taken->vector;
  if (Status status = CheckGathered(*data->material.strategy, expected, chunk.hash, *content);
      !status.ok()) {
    receiver.Discard(content);
    post_(GatherRefused{.job = expected.job,
                        .round = expected.round,
                        .number = expected.number,
                        .session = chunk.session,
                        .status = status});
    return status;
  }
  const bool expected_still = data->gathers.MarkComplete(
      chunk.gather, [&] { merges_.AddGathered(data, arriving->expected, chunk.session, content); });
  return expected_still ? kComplete : kUnwanted;
}

Status Receiving::OfferPart(const rpc::OfferChunk& chunk) {
  DL_ASSIGN_OR_RETURN(const RunningJobs::Data data, jobs_.Get(chunk.job));
  if (!data->offered.IsExpected(chunk.sha256)) return absl::OkStatus();  // no longer needed
  std::shared_ptr<Receiver> receiver;
  if (chunk.offset == 0) {
    DL_ASSIGN_OR_RETURN(PieceVerifier pieces, PiecesOf(data->material.layout(), chunk));
    receiver = data->offered.Begin(chunk.sha256, std::move(pieces), data->pool);
  } else {
    receiver = data->offered.ReceiverOf(chunk.sha256);
  }
  if (receiver == nullptr) {
    return InvalidArgument(
        {.message = absl::StrCat("bytes at offset ", chunk.offset,
                                 " of an offered part came before its first bytes"),
         .where = chunk.sha256});
  }
  DL_ASSIGN_OR_RETURN(const Receiver::TakeResult taken,
                      receiver->Take(chunk.offset, chunk.total, chunk.chunk_xxh3, chunk.bytes));
  if (taken.progress == Receiver::Progress::kMore) return absl::OkStatus();
  data->offered.Arrived(chunk.sha256, taken.vector, receiver->pieces());
  post_(PartArrived{chunk.job, chunk.sha256});
  return absl::OkStatus();
}

}  // namespace dl::master
