#include "rpc/message_limits.h"

#include <algorithm>

#include "base/limits.h"
#include "base/value_histogram.h"

namespace dl::rpc {
namespace {

using limits::kListEntryBytes;

constexpr int64_t kSmall = limits::kUnchargedMessageBytes;
constexpr int64_t kHash = 64;             // SHA-256 in hex
constexpr int64_t kBlockPiece = 2 << 20;  // read size of storage/blob_store.h
// A unit's id, and one or two texts of this length.
constexpr int64_t kUnit = kListEntryBytes + limits::kMaxJobId;

constexpr int64_t kRegister = kSmall + limits::kMaxHeldParts * (kListEntryBytes + kHash) +
                              limits::kMaxHeldContributions * kUnit +
                              limits::kMaxSlots * (kUnit + kHash + 16);
constexpr int64_t kMaxSegments = 1 << 17;  // for kMaxLayers layers, each with updater state
constexpr int64_t kAnnounce = kSmall + limits::kMaxMetricsBytes +
                              kMaxSegments * limits::kNumberEntryBytes + kMaxHistogramBytes;
constexpr int64_t kChunk = kSmall + limits::kChunkBytes;
constexpr int64_t kOffer = kChunk + limits::kMaxPieceHashesBytes;
constexpr int64_t kSubmit = kSmall + limits::kMaxSubmissionBytes;
constexpr int64_t kNames = kSmall + limits::kMaxListEntries * (kListEntryBytes + kHash);

constexpr int64_t kCheckpointList = 8 << 20;  // charged size
constexpr int64_t kClusterAnswer = 4 << 20;   // 1 KiB for each of kMaxSessions executors

static_assert(std::max({kRegister, kAnnounce, kOffer}) <= limits::kExecutorMessageBytesOfToken);
static_assert(std::max(kSmall + limits::kMaxBlockBytes, kNames) <=
              limits::kClientMessageBytesOfToken);
// Names and sizes form a small message, and the bytes follow them.
static_assert(limits::kMaxPutBlocks * (kListEntryBytes + kHash + limits::kNumberEntryBytes) <=
              limits::kUnchargedMessageBytes);
static_assert(kSubmit <= limits::kDocumentMessageBytesOfToken);
static_assert(limits::kMaxSubmissionBytes <= limits::kJobMessageBytesOfToken);

struct Row {
  std::string_view method;
  MessageLimits limits;
};
// Field ids of the IDL.
constexpr Row kRows[] = {
    {"Register", {.bytes = kRegister, .share = MessageShare::kExecutors}},
    {"Heartbeat",
     {.bytes = kSmall + limits::kMaxUnitsInProgress * kUnit, .share = MessageShare::kExecutors}},
    {"Announce",
     {.bytes = kAnnounce,
      .share = MessageShare::kExecutors,
      .field = 11,
      .field_bytes = limits::kMaxMetricsBytes}},
    {"Contribute", {.bytes = kChunk, .share = MessageShare::kExecutors}},
    {"OfferPart",
     {.bytes = kOffer,
      .share = MessageShare::kExecutors,
      .field = 8,
      .field_bytes = limits::kMaxPieceHashesBytes}},
    {"Measure", {.bytes = kChunk}},
    {"MissingBlocks", {.bytes = kNames}},
    {"PutBlocks", {.bytes = kSmall + limits::kMaxBlockBytes, .whole = false}},
    {"Submit",
     {.bytes = kSubmit,
      .share = MessageShare::kDocuments,
      .field = 2,
      .field_bytes = limits::kMaxSpecBytes}},
};

}  // namespace

MessageLimits LimitsOf(std::string_view method) {
  const Row* const row = std::ranges::find(kRows, method, &Row::method);
  return row == std::end(kRows) ? MessageLimits{.bytes = kSmall} : row->limits;
}

AnswerLimits AnswerTo(std::string_view method, const FetchRequest& request) {
  // The store reads whole pieces, even for one byte.
  int64_t read = 0;
  if (method == "FetchBlock") read = kBlockPiece;
  if (method == "FetchCheckpoint") read = limits::kCheckpointChunkBytes;
  // Piece hashes of a part, which come with its first chunk. A smaller request at offset 0 is not
  // charged: either the part has few pieces, or its hashes are 1/32768 of what the master holds
  // anyway.
  if (method != "FetchBlock" && request.offset == 0 && request.length >= limits::kChunkBytes)
    read += limits::kMaxPieceHashesBytes;
  return {.bytes = read + std::clamp<int64_t>(request.length, 0, limits::kChunkBytes),
          .share = request.session == 0 ? MessageShare::kClients : MessageShare::kExecutors};
}

AnswerLimits AnswerTo(std::string_view, const FetchJobRequest&) {
  return {.bytes = limits::kMaxSubmissionBytes, .share = MessageShare::kJobs};
}

AnswerLimits AnswerTo(std::string_view, const MeasureRequest& request) {
  return {.bytes = std::clamp<int64_t>(request.reply_bytes, 0, limits::kChunkBytes)};
}

AnswerLimits AnswerTo(std::string_view, const QueryRequest& request) {
  AnswerLimits answer{.share = MessageShare::kDocuments};
  switch (request.what) {
    case QueryKind::kSpec:
      answer.bytes = limits::kMaxSpecBytes;
      break;
    case QueryKind::kLog:
    case QueryKind::kSeries:
    case QueryKind::kTimeline:
    case QueryKind::kHistograms:
      answer.bytes = limits::kMaxLogPageBytes;
      break;
    case QueryKind::kCheckpoints:
      answer.bytes = kCheckpointList;
      break;
    case QueryKind::kTrainManifest:
    case QueryKind::kTestManifest:
      answer.bytes = limits::kMaxSubmissionBytes;
      break;
    case QueryKind::kJobs:
    case QueryKind::kJob:  // names each excluded executor
    case QueryKind::kResult:
      answer.bytes = limits::kMaxLogPageBytes;
      break;
    case QueryKind::kCluster:
      answer.bytes = kClusterAnswer;
      break;
  }
  return answer;
}

AnswerLimits AnswerTo(std::string_view, const EventsRequest&) {
  return {.share = MessageShare::kDocuments};
}

MessageBudget& MessageBudgets::Of(MessageShare share) {
  switch (share) {
    case MessageShare::kExecutors:
      return executors_;
    case MessageShare::kClients:
      return clients_;
    case MessageShare::kDocuments:
      return documents_;
    case MessageShare::kJobs:
      break;
  }
  return jobs_;
}

void MessageBudgets::Close() {
  executors_.Close();
  clients_.Close();
  documents_.Close();
  jobs_.Close();
}

}  // namespace dl::rpc
