// What one connection takes of the server's memory.
#pragma once

#include <thrift/protocol/TProtocolException.h>
#include <thrift/transport/TTransportException.h>

#include <algorithm>
#include <string_view>

#include "base/clock.h"
#include "base/limits.h"
#include "rpc/message_limits.h"
#include "rpc/message_meter.h"

namespace dl::rpc {

// What one connection's call has of the server's memory, from its first byte to the last of its
// answer.
class ConnectionMeter final : public MessageMeter {
 public:
  explicit ConnectionMeter(MessageBudgets& budgets) : budgets_(budgets) {}

  void Greet() { greeted_ = true; }
  bool greeted() const { return greeted_; }

  void Begin(std::string_view method) override {
    limits_ = greeted_ ? LimitsOf(method) : MessageLimits{.bytes = limits::kMaxGreetingBytes};
    claimed_ = 0;
    allowed_ = std::min(limits::kFreeMessageBytes, limits_.bytes);
  }

  void Take(int16_t field, int64_t bytes) override {
    claimed_ += bytes;
    if (claimed_ > limits_.bytes || (field == limits_.field && bytes > limits_.field_bytes)) {
      throw apache::thrift::protocol::TProtocolException(
          apache::thrift::protocol::TProtocolException::SIZE_LIMIT,
          "more than such a message may hold");
    }
    if (claimed_ <= allowed_) return;
    if (request_.bytes() > 0) {
      throw apache::thrift::protocol::TProtocolException(
          apache::thrift::protocol::TProtocolException::SIZE_LIMIT, "large fields out of order");
    }
    allowed_ = limits_.whole ? limits_.bytes
                             : std::min(limits_.bytes, claimed_ + limits::kFreeMessageBytes);
    // The peer waits meanwhile: nothing is read from it.
    auto taken =
        budgets_.Of(limits_.share).Take(allowed_, Clock::Real().Now() + limits::kMessageDeadline);
    if (!taken.ok())
      throw apache::thrift::transport::TTransportException(
          apache::thrift::transport::TTransportException::TIMED_OUT);
    request_ = *std::move(taken);
  }

  Status TakeForAnswer(const AnswerLimits& answer, Instant deadline) {
    if (answer.bytes == 0) return absl::OkStatus();
    DL_ASSIGN_OR_RETURN(answer_, budgets_.Of(answer.share).Take(answer.bytes, deadline));
    return absl::OkStatus();
  }
  void AnswerHas(int64_t bytes) { answer_.ShrinkTo(bytes); }

  void End() {
    request_.ShrinkTo(0);
    answer_.ShrinkTo(0);
  }

 private:
  MessageBudgets& budgets_;
  bool greeted_ = false;
  MessageLimits limits_;
  int64_t claimed_ = 0;
  int64_t allowed_ = 0;
  MemoryBudget::Charge request_, answer_;
};

}  // namespace dl::rpc
