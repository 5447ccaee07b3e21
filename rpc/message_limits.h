// Memory limits of messages, and the budget that each message uses.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/limits.h"
#include "rpc/message_budget.h"
#include "rpc/messages.h"

namespace dl::rpc {

// Kinds of messages, each with a budget of its own. So slow clients block neither training nor
// queries, and submissions do not keep executors from the documents of their jobs. Small messages,
// such as status requests and heartbeats, never wait.
enum class MessageShare { kExecutors, kClients, kDocuments, kJobs };

struct MessageLimits {
  // Most bytes that the call may use while it is read: the bytes of its texts and the memory of its
  // list entries.
  int64_t bytes = 0;
  MessageShare share = MessageShare::kClients;
  // Whether a message that is not small may grow to `bytes`. False: it grows only to the size that
  // it has announced when it stops being small, because its large field is the last one.
  bool whole = true;
  // Id of the field that has a limit of its own; -1: none.
  int16_t field = -1;
  int64_t field_bytes = 0;
};
// Returns the limits of a method of the IDL. Any other name has the limits of a small message.
MessageLimits LimitsOf(std::string_view method);

// Limits of an answer while it is made and sent. `bytes` is 0 for small answers.
struct AnswerLimits {
  int64_t bytes = 0;
  MessageShare share = MessageShare::kClients;
};
// Returns the limits of the answer to a request.
AnswerLimits AnswerTo(std::string_view method, const FetchRequest& request);
AnswerLimits AnswerTo(std::string_view method, const FetchJobRequest& request);
AnswerLimits AnswerTo(std::string_view method, const MeasureRequest& request);
AnswerLimits AnswerTo(std::string_view method, const QueryRequest& request);
template <typename Request>
AnswerLimits AnswerTo(std::string_view, const Request&) {
  return {};
}

// Returns the bytes that a finished answer occupies.
inline int64_t BytesOf(const Chunk& answer) {
  return static_cast<int64_t>(answer.bytes.size() + answer.piece_hashes.size());
}
inline int64_t BytesOf(const QueryReply& answer) {
  return static_cast<int64_t>(answer.json.size());
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
  void Close();

 private:
  MessageBudget executors_{{.bytes = limits::kExecutorMessageBytes,
                            .bytes_of_token = limits::kExecutorMessageBytesOfToken}};
  MessageBudget clients_{
      {.bytes = limits::kClientMessageBytes, .bytes_of_token = limits::kClientMessageBytesOfToken}};
  MessageBudget documents_{{.bytes = limits::kDocumentMessageBytes,
                            .bytes_of_token = limits::kDocumentMessageBytesOfToken}};
  MessageBudget jobs_{
      {.bytes = limits::kJobMessageBytes, .bytes_of_token = limits::kJobMessageBytesOfToken}};
};

// Returns the charge for `bytes` of a message, rounded up to whole steps.
constexpr int64_t ChargeOf(int64_t bytes) {
  return (bytes + limits::kMessageStepBytes - 1) / limits::kMessageStepBytes *
         limits::kMessageStepBytes;
}

}  // namespace dl::rpc
