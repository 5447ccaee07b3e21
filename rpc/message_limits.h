// Memory limits of messages, and the budget that each message uses.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "rpc/message_budget.h"
#include "rpc/messages.h"

namespace dl::rpc {

// Kinds of messages, each with a budget of its own. So slow transfers of blocks and checkpoints
// block neither training nor queries, and submissions do not keep executors from the documents of
// their jobs. Requests of at most limits::kUnchargedMessageBytes never wait, nor do answers that
// cannot need more (AnswerLimits).
enum class MessageShare {
  kExecutors,  // requests of executors, their results, blocks and parts of states
  kClients,    // blocks and checkpoints of clients
  kDocuments,  // submissions, and documents that clients query
  kJobs,       // documents of jobs that executors fetch
};

// Limits of a request while it is read.
struct MessageLimits {
  // Most bytes that the request may use: the bytes of its texts and the memory of its list entries.
  int64_t bytes = 0;
  MessageShare share = MessageShare::kClients;
  // Decides the largest size that a request states to its budget when it exceeds
  // kUnchargedMessageBytes. True: `bytes`. False: the size that the request has announced by then,
  // because its large field is the last.
  bool whole = true;
  // Id of the field that has a limit of its own, and most bytes of that field; -1: no such field.
  int16_t field = -1;
  int64_t field_bytes = 0;
};
// Returns the limits of a method's request. Methods without large requests, and unknown names, have
// at most limits::kUnchargedMessageBytes.
MessageLimits LimitsOf(std::string_view method);

// Memory of an answer while it is made. Not charged if `bytes` is at most
// limits::kUnchargedMessageBytes.
struct AnswerLimits {
  int64_t bytes = 0;  // most bytes that the answer and the reads for it may use
  MessageShare share = MessageShare::kClients;
};
// Return the limits of the answer to a request. All other requests have answers that are not
// charged.
AnswerLimits AnswerTo(std::string_view method, const FetchRequest& request);
AnswerLimits AnswerTo(std::string_view method, const FetchJobRequest& request);
AnswerLimits AnswerTo(std::string_view method, const MeasureRequest& request);
AnswerLimits AnswerTo(std::string_view method, const QueryRequest& request);
// Returns no bytes, because most answers are small and the call may wait long for an event. The
// real size is charged when the answer is made (ConnectionMeter::ChargeAnswer).
AnswerLimits AnswerTo(std::string_view method, const EventsRequest& request);
template <typename Request>
AnswerLimits AnswerTo(std::string_view, const Request&) {
  return {};
}

// Return the bytes that remain charged for a finished answer while it is sent; 0 for all types of
// answers that are not listed here.
inline int64_t BytesOf(const Chunk& answer) {
  return static_cast<int64_t>(answer.bytes.size() + answer.piece_hashes.size());
}
inline int64_t BytesOf(const QueryReply& answer) {
  return static_cast<int64_t>(answer.json.size());
}
inline int64_t BytesOf(const EventsReply& answer) {
  size_t bytes = 0;
  for (const std::string& event : answer.events) bytes += event.size() + limits::kListEntryBytes;
  return static_cast<int64_t>(bytes);
}
inline int64_t BytesOf(const FetchJobReply& answer) {
  return static_cast<int64_t>(answer.spec.size() + answer.train_manifest.size() +
                              answer.test_manifest.size());
}
template <typename Reply>
int64_t BytesOf(const Reply&) {
  return 0;
}

// The budgets of one server.
class MessageBudgets {
 public:
  MessageBudget& Of(MessageShare share);
  // Closes all budgets (MessageBudget::Close).
  void Close();

  // Place of a finished answer that is larger than its AnswerLimits, while it waits for memory.
  // These answers are not charged yet, so only kMaxLateAnswers may wait at the same time.
  class LateAnswerPlace {
   public:
    explicit LateAnswerPlace(MessageBudgets& budgets)
        : late_(budgets.late_), is_free_(++late_ <= kMaxLateAnswers) {}
    ~LateAnswerPlace() { --late_; }
    LateAnswerPlace(const LateAnswerPlace&) = delete;
    bool is_free() const { return is_free_; }

   private:
    static constexpr int kMaxLateAnswers = 16;
    std::atomic<int>& late_;
    const bool is_free_;
  };

 private:
  std::atomic<int> late_ = 0;
  MessageBudget executors_{{.bytes = limits::kExecutorMessageBytes,
                            .bytes_of_token = limits::kExecutorMessageBytesOfToken}};
  MessageBudget clients_{
      {.bytes = limits::kClientMessageBytes, .bytes_of_token = limits::kClientMessageBytesOfToken}};
  MessageBudget documents_{{.bytes = limits::kDocumentMessageBytes,
                            .bytes_of_token = limits::kDocumentMessageBytesOfToken}};
  MessageBudget jobs_{
      {.bytes = limits::kJobMessageBytes, .bytes_of_token = limits::kJobMessageBytesOfToken}};
};

// Returns `bytes`, rounded up to whole steps of limits::kMessageStepBytes.
constexpr int64_t ChargeOf(int64_t bytes) {
  return (bytes + limits::kMessageStepBytes - 1) / limits::kMessageStepBytes *
         limits::kMessageStepBytes;
}

}  // namespace dl::rpc
