#include "rpc/convert.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "base/value_histogram.h"
#include "rpc/executor_fields.h"
#include "rpc/remedy.h"
#include "rpc/user_fields.h"

namespace dl::rpc {
namespace {

bool Known(UnitKind value) {
  switch (value) {
    case UnitKind::kTrain:
    case UnitKind::kEvaluate:
      return true;
  }
  return false;
}

bool Known(Verdict value) {
  switch (value) {
    case Verdict::kSend:
    case Verdict::kDone:
    case Verdict::kUnwanted:
    case Verdict::kHold:
      return true;
  }
  return false;
}

bool Known(Receipt value) {
  switch (value) {
    case Receipt::kMore:
    case Receipt::kComplete:
    case Receipt::kUnwanted:
      return true;
  }
  return false;
}

bool Known(Fault value) {
  switch (value) {
    case Fault::kUnit:
    case Fault::kExecutor:
    case Fault::kMaster:
    case Fault::kNetwork:
      return true;
  }
  return false;
}

bool Known(JobAction value) {
  switch (value) {
    case JobAction::kCancel:
    case JobAction::kResume:
    case JobAction::kCheckpoint:
    case JobAction::kPin:
    case JobAction::kUnpin:
    case JobAction::kDelete:
    case JobAction::kPause:
      return true;
  }
  return false;
}

bool Known(QueryKind value) {
  switch (value) {
    case QueryKind::kJobs:
    case QueryKind::kCluster:
    case QueryKind::kJob:
    case QueryKind::kResult:
    case QueryKind::kCheckpoints:
    case QueryKind::kSpec:
    case QueryKind::kTrainManifest:
    case QueryKind::kTestManifest:
    case QueryKind::kLog:
    case QueryKind::kSeries:
    case QueryKind::kTimeline:
    case QueryKind::kHistograms:
      return true;
  }
  return false;
}

// Limits of the strings in messages. A field that is not listed is a short text.
struct TextRule {
  bool text = true;  // UTF-8; false for the contents of blocks, chunks and parts
  int64_t limit = limits::kMaxShortText;
};
TextRule RuleOf(std::string_view field) {
  static constexpr std::string_view kDocuments[] = {"train_manifest", "test_manifest", "json",
                                                    "events"};
  if (field == "bytes") return {.text = false, .limit = limits::kMaxStringBytes};
  if (field == "piece_hashes") return {.text = false, .limit = limits::kMaxPieceHashesBytes};
  if (field == "spec") return {.limit = limits::kMaxSpecBytes};
  if (field == "activations") return {.text = false, .limit = kMaxHistogramBytes};
  if (field == "metrics") return {.limit = limits::kMaxMetricsBytes};
  if (field == "job") return {.limit = limits::kMaxJobId};
  if (field == "request_id") return {.limit = limits::kMaxRequestId};
  if (field == "executor") return {.limit = limits::kMaxExecutorName};
  if (field == "host") return {.limit = limits::kMaxHostText};
  if (field == "contract") return {.limit = limits::kMaxContractText};
  if (field == "labels" || field == "needs") return {.limit = 2 * limits::kMaxLabelPart + 1};
  for (const std::string_view word : {"isa", "version", "held_parts", "spec_sha256"}) {
    if (field == word) return {.limit = limits::kMaxWordText};
  }
  if (std::ranges::find(kDocuments, field) != std::end(kDocuments))
    return {.limit = limits::kMaxStringBytes};
  return {};
}

// Returns the largest number of entries of a list of strings or structs.
int64_t LongestList(std::string_view field) {
  if (field == "held_parts") return limits::kMaxHeldParts;
  if (field == "held_contributions") return limits::kMaxHeldContributions;
  if (field == "crashed") return limits::kMaxSlots;
  if (field == "running") return limits::kMaxUnitsInProgress;
  return limits::kMaxListEntries;
}

// Common to both directions: the first error, and the bytes counted so far.
class Budget {
 public:
  Status status;

 protected:
  bool TakeString(std::string_view field, const std::string& string) {
    const TextRule rule = RuleOf(field);
    const auto size = static_cast<int64_t>(string.size());
    if (!Take(field, string.size(), limits::kMaxStringBytes)) return false;
    if (size > rule.limit) {
      Refuse(InvalidArgument({.message = absl::StrCat("field \"", std::string(field), "\" has ",
                                                      size, " bytes, the limit is ", rule.limit),
                              .where = std::string(field),
                              .remedy = "Shorten it."}));
      return false;
    }
    if (rule.text && !IsUtf8(string)) {
      Refuse(InvalidArgument(
          {.message = absl::StrCat("field \"", std::string(field), "\" is not UTF-8 text"),
           .where = std::string(field),
           .remedy = "Send texts in UTF-8."}));
      return false;
    }
    return true;
  }
  bool Take(std::string_view field, size_t bytes, int64_t limit) {
    bytes_ += static_cast<int64_t>(bytes);
    if (static_cast<int64_t>(bytes) > limit || bytes_ > limits::kMaxMessageBytes) {
      Refuse(ResourceExhausted(
          {.message = absl::StrCat("a message is too large: field \"", std::string(field),
                                   "\" has ", bytes, " bytes"),
           .where = std::string(field),
           .remedy =
               absl::StrCat("Send at most ", limits::kMaxStringBytes, " bytes in one field and ",
                            limits::kMaxMessageBytes, " in one message.")}));
      return false;
    }
    return true;
  }
  bool TakeEntries(std::string_view field, size_t entries, int64_t limit) {
    if (static_cast<int64_t>(entries) <= limit) return true;
    Refuse(ResourceExhausted(
        {.message = absl::StrCat("a message is too large: list \"", std::string(field), "\" has ",
                                 entries, " entries, the limit is ", limit),
         .where = std::string(field),
         .remedy = "Split the request."}));
    return false;
  }
  void RefuseEnum(std::string_view field, int64_t value) {
    Refuse(InvalidArgument(
        {.message = absl::StrCat("unknown value ", value, " of field \"", std::string(field), "\""),
         .where = std::string(field),
         .remedy = "Run the same version on both sides."}));
  }
  void Refuse(Status error) {
    if (status.ok()) status = std::move(error);
  }

 private:
  int64_t bytes_ = 0;
};

// Fields(visitor, message, wire) calls visitor(name, message.field, wire.field) for every field.
// With kLend, the message is only read; without it, its strings are moved.
template <bool kLend>
class Writer : public Budget {
 public:
  const std::string* lent = nullptr;

  template <typename A, typename B>
  void operator()(std::string_view field, A& from, B& to) {
    if (!status.ok()) return;
    if constexpr (std::is_same_v<A, std::string>) {
      if (!TakeString(field, from)) return;
      if constexpr (!kLend) {
        to = std::move(from);
      } else if (field == "bytes") {
        lent = &from;
      } else {
        to = from;
      }
    } else if constexpr (std::is_enum_v<A>) {
      if (!Known(from)) return RefuseEnum(field, static_cast<int64_t>(from));
      to = static_cast<int32_t>(from);
    } else if constexpr (std::is_arithmetic_v<A>) {
      static_assert(sizeof(A) == sizeof(B));
      to = static_cast<B>(from);
    } else {
      Fields(*this, from, to);
    }
  }
  template <typename A, typename B>
  void operator()(std::string_view field, std::vector<A>& from, std::vector<B>& to) {
    if (!status.ok()) return;
    if constexpr (std::is_arithmetic_v<A>) {
      if (TakeEntries(field, from.size(), limits::kMaxContainer)) to = from;
    } else if (TakeEntries(field, from.size(), LongestList(field))) {
      to.resize(from.size());
      for (size_t i = 0; i < from.size(); ++i) (*this)(field, from[i], to[i]);
    }
  }
};

class Reader : public Budget {
 public:
  template <typename A, typename B>
  void operator()(std::string_view field, A& to, B& from) {
    if (!status.ok()) return;
    if constexpr (std::is_same_v<A, std::string>) {
      if (TakeString(field, from)) to = std::move(from);
    } else if constexpr (std::is_enum_v<A>) {
      static_assert(std::is_same_v<B, int32_t>);
      using Number = std::underlying_type_t<A>;
      A value = static_cast<A>(static_cast<Number>(from));
      if (static_cast<int32_t>(value) != from || !Known(value)) return RefuseEnum(field, from);
      to = value;
    } else if constexpr (std::is_arithmetic_v<A>) {
      static_assert(sizeof(A) == sizeof(B));
      to = static_cast<A>(from);
    } else {
      Fields(*this, to, from);
    }
  }
  template <typename A, typename B>
  void operator()(std::string_view field, std::vector<A>& to, std::vector<B>& from) {
    if (!status.ok()) return;
    if constexpr (std::is_arithmetic_v<A>) {
      if (TakeEntries(field, from.size(), limits::kMaxContainer)) to = std::move(from);
    } else if (TakeEntries(field, from.size(), LongestList(field))) {
      to.resize(from.size());
      for (size_t i = 0; i < from.size(); ++i) (*this)(field, to[i], from[i]);
    }
  }
};

}  // namespace

template <typename Message>
StatusOr<typename WireOf<Message>::Type> ToWire(Message message) {
  typename WireOf<Message>::Type wire;
  Writer</*kLend=*/false> visitor;
  Fields(visitor, message, wire);
  if (!visitor.status.ok()) return visitor.status;
  return wire;
}

template <typename Message>
StatusOr<typename WireOf<Message>::Type> ToWireLending(const Message& message,
                                                       const std::string** bytes) {
  typename WireOf<Message>::Type wire;
  Writer</*kLend=*/true> visitor;
  Fields(visitor, const_cast<Message&>(message), wire);
  if (!visitor.status.ok()) return visitor.status;
  *bytes = visitor.lent;
  return wire;
}

template <typename Message>
StatusOr<Message> FromWire(typename WireOf<Message>::Type wire) {
  Message message;
  Reader visitor;
  Fields(visitor, message, wire);
  if (!visitor.status.ok()) return visitor.status;
  return message;
}

#define DL_RPC_INSTANTIATE(name)                                                       \
  template StatusOr<wire::name> ToWire<name>(name);                                    \
  template StatusOr<wire::name> ToWireLending<name>(const name&, const std::string**); \
  template StatusOr<name> FromWire<name>(wire::name);
DL_RPC_INSTANTIATE(UnitId)
DL_RPC_MESSAGES(DL_RPC_INSTANTIATE)
#undef DL_RPC_INSTANTIATE

namespace {

// Shortens and repairs a text, so that an error can always be sent and read.
std::string ErrorText(std::string_view text) {
  return RepairUtf8(Utf8Prefix(text, limits::kMaxErrorText));
}

}  // namespace

wire::RpcError ErrorToWire(const Status& status) {
  wire::RpcError error;
  error.code = std::string(ErrorCodeName(status.code()));
  error.message = ErrorText(std::string(status.message()));
  error.where = ErrorText(ErrorWhere(status));
  error.remedy = ErrorText(ErrorRemedy(status));
  const Remedy remedy = RemedyOf(status);
  if (remedy.kind == RemedyKind::kNone) return error;
  error.__isset.action = true;
  error.action.kind = static_cast<int32_t>(remedy.kind);
  error.action.job = ErrorText(remedy.job);
  error.action.round = remedy.round;
  error.action.isa = ErrorText(remedy.isa);
  error.action.mebibytes = remedy.mebibytes;
  return error;
}

Status ErrorFromWire(const wire::RpcError& error) {
  absl::StatusCode code = ErrorCodeFromName(error.code);
  std::string message = ErrorText(error.message);
  if (code == absl::StatusCode::kOk || ErrorCodeName(code) != error.code) {
    code = absl::StatusCode::kUnknown;
    message = absl::StrCat(message, " (the peer's error code is \"",
                           RepairUtf8(Utf8Prefix(error.code, 64)), "\")");
  }
  const Status status = MakeError(
      code,
      {.message = message, .where = ErrorText(error.where), .remedy = ErrorText(error.remedy)});
  const wire::Remedy& action = error.action;
  if (!IsRemedyKind(action.kind)) return status;
  return AttachRemedy(status, {.kind = static_cast<RemedyKind>(action.kind),
                               .job = ErrorText(action.job),
                               .round = action.round,
                               .isa = ErrorText(action.isa),
                               .mebibytes = action.mebibytes});
}

}  // namespace dl::rpc
