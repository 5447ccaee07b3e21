// What each message may take of the server's memory, and out of whose share.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/limits.h"
#include "rpc/message_budget.h"
#include "rpc/messages.h"

namespace dl::rpc {

// Kinds of messages, each with memory of its own. So clients that move data slowly hold up neither
// training nor queries, and submissions do not keep executors from the documents of their jobs.
// Small messages never wait, `status` and heartbeats among them.
enum class MessageShare { kExecutors, kClients, kDocuments, kJobs };

struct MessageLimits {
  // All that the call may claim while it is read: the bytes of its texts and what the entries of
  // its lists take.
  int64_t bytes = 0;
  MessageShare share = MessageShare::kClients;
  // A message that is not small may come to hold `bytes`. False: it holds no more than it has
  // announced by then, because its large field is the last one.
  bool whole = true;
  // Field of the message that has a limit of its own; -1: none.
  int16_t field = -1;
  int64_t field_bytes = 0;
};
// Of a method of the IDL; of any other name those of a small one.
MessageLimits LimitsOf(std::string_view method);

// What the answer may have while it is made and sent, and whose share that is. 0 bytes for small
// ones.
struct AnswerLimits {
  int64_t bytes = 0;
  MessageShare share = MessageShare::kClients;
};
AnswerLimits AnswerTo(std::string_view method, const FetchRequest& request);
AnswerLimits AnswerTo(std::string_view method, const FetchJobRequest& request);
AnswerLimits AnswerTo(std::string_view method, const MeasureRequest& request);
AnswerLimits AnswerTo(std::string_view method, const QueryRequest& request);
template <typename Request>
AnswerLimits AnswerTo(std::string_view, const Request&) {
  return {};
}

// What is left of that once the answer is there.
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

// The shares of one server.
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

// The charge for `bytes` of a message: whole steps.
constexpr int64_t ChargeOf(int64_t bytes) {
  return (bytes + limits::kMessageStepBytes - 1) / limits::kMessageStepBytes *
         limits::kMessageStepBytes;
}

}  // namespace dl::rpc
