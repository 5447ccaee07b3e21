// Charges the memory of one connection's messages to the budgets of the server.
#pragma once

#include <thrift/Thrift.h>
#include <thrift/protocol/TProtocolException.h>
#include <thrift/transport/TTransportException.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/limits.h"
#include "rpc/message_budget.h"
#include "rpc/message_limits.h"
#include "rpc/message_meter.h"

namespace dl::rpc {

// Memory of one connection's current call: of the request until a service has handled it, then of
// the answer until the peer has taken it. The first kUnchargedMessageBytes of a request are not
// charged. Must be used by the connection's thread. The calls for a request have this order:
// 1. Begin.
// 2. AnnounceBytes and ReceiveBytes for each part of the request.
// 3. ReserveAnswer, then ChargeAnswer if the request succeeds, while an InService exists.
// 4. End, after the answer was sent.
class ConnectionMeter final : public MessageMeter {
 public:
  ConnectionMeter(MessageBudgets& budgets, MessagePeer peer)
      : budgets_(budgets), peer_(std::move(peer)) {}

  // Marks the peer as authenticated. Messages before that have at most kMaxGreetingBytes. `token`
  // is the id of its token, or the owner's name for a certificate (MessagePeer::token).
  void MarkAuthenticated(std::string token) {
    peer_.token = std::move(token);
    authenticated_ = true;
  }
  bool authenticated() const { return authenticated_; }

  // Sets the limits of a new request of this method.
  void Begin(std::string_view method) override {
    limits_ = authenticated_ ? LimitsOf(method) : MessageLimits{.bytes = limits::kMaxGreetingBytes};
    announced_ = arrived_ = 0;
    has_answer_ = false;
    allowed_ = std::min(limits::kUnchargedMessageBytes, limits_.bytes);
  }

  // Joins a budget when the announced bytes exceed kUnchargedMessageBytes. Does not wait. Throws
  // SIZE_LIMIT in three cases: the message exceeds its limit, `bytes` exceeds the field's limit, or
  // more than kUnchargedMessageBytes are announced after a large field that must be the last
  // (MessageLimits::whole is false).
  void AnnounceBytes(int16_t field, int64_t bytes) override {
    announced_ += bytes;
    if (announced_ > limits_.bytes || (field == limits_.field && bytes > limits_.field_bytes))
      RefuseSize("more than such a message may hold");
    if (announced_ <= allowed_) return;
    if (request_.joined()) RefuseSize("large fields out of order");
    allowed_ = limits_.whole ? limits_.bytes
                             : std::min(limits_.bytes, announced_ + limits::kUnchargedMessageBytes);
    request_.Join(budgets_.Of(limits_.share), peer_,
                  ChargeOf(allowed_ - limits::kUnchargedMessageBytes));
    request_.BeginMoving();
  }

  // Waits until the budget grants memory for the arrived bytes. The connection reads no further
  // bytes meanwhile. Throws TIMED_OUT if no memory is granted within kMessageDeadline, if the
  // budget is closed, or if the peer was too slow (MessageBudget::Holding::Grow).
  void ReceiveBytes(int64_t bytes) override {
    arrived_ += bytes;
    if (!request_.joined()) return;
    const int64_t more = ChargeOf(std::max<int64_t>(0, arrived_ - limits::kUnchargedMessageBytes)) -
                         request_.bytes();
    if (more <= 0) return;
    if (!request_.Grow(more, Clock::Real().Now() + limits::kMessageDeadline).ok())
      throw apache::thrift::transport::TTransportException(
          apache::thrift::transport::TTransportException::TIMED_OUT);
  }

  // Exists while a service handles the request; during that time the peer has no bytes to move. Its
  // destructor releases the request's memory, because the peer may be slow to take the answer.
  // Without a call of ChargeAnswer, it also releases the memory for an answer.
  class InService {
   public:
    explicit InService(ConnectionMeter& meter) : meter_(meter) { meter_.request_.EndMoving(); }
    ~InService() {
      meter_.request_.Release();
      if (!meter_.has_answer_) meter_.answer_.Release();  // an error is sent instead
    }
    InService(const InService&) = delete;

   private:
    ConnectionMeter& meter_;
  };

  // Waits until the budget grants the largest memory that the answer may need. Does nothing if this
  // is at most kUnchargedMessageBytes. Returns the errors of MessageBudget::Holding::Grow.
  Status ReserveAnswer(const AnswerLimits& answer, Instant deadline) {
    if (answer.bytes <= limits::kUnchargedMessageBytes) return absl::OkStatus();
    answer_.Join(budgets_.Of(answer.share), peer_, ChargeOf(answer.bytes));
    return answer_.Grow(ChargeOf(answer.bytes), deadline);
  }
  // Charges the answer's size: nothing up to kUnchargedMessageBytes, and at most the memory of a
  // token. The peer's rate is measured from now on. Must be called when the size is known, before
  // the answer is sent. Waits if the answer is larger than ReserveAnswer assumed. Then it may
  // return Unavailable, also if too many such answers wait.
  Status ChargeAnswer(int64_t bytes, MessageShare share, Instant deadline) {
    if (bytes <= limits::kUnchargedMessageBytes) {
      answer_.Release();
    } else if (ChargeOf(bytes) <= answer_.bytes()) {
      answer_.ShrinkTo(ChargeOf(bytes));
    } else {
      DL_RETURN_IF_ERROR(ReserveLateAnswer(bytes, budgets_.Of(share), deadline));
    }
    has_answer_ = true;
    answer_.BeginMoving();
    return absl::OkStatus();
  }

  // Releases everything. Must be called after each call, when its answer was sent.
  void End() {
    request_.Release();
    answer_.Release();
  }

 private:
  // Takes memory for a finished answer that is larger than expected. The answer is not charged
  // while it waits, so few answers may wait. An answer whose memory is free needs no place.
  Status ReserveLateAnswer(int64_t bytes, MessageBudget& budget, Instant deadline) {
    answer_.Release();
    const int64_t charge = std::min(ChargeOf(bytes), budget.bytes_of_token());
    answer_.Join(budget, peer_, charge);
    if (answer_.Grow(charge, Clock::Real().Now()).ok()) return absl::OkStatus();
    const MessageBudgets::LateAnswerPlace place(budgets_);
    if (place.is_free()) return answer_.Grow(charge, deadline);
    return Unavailable(
        {.message = "too many large answers wait for memory", .remedy = "Try again later"});
  }
  [[noreturn]] static void RefuseSize(const char* why) {
    throw apache::thrift::protocol::TProtocolException(
        apache::thrift::protocol::TProtocolException::SIZE_LIMIT, why);
  }

  MessageBudgets& budgets_;
  MessagePeer peer_;
  bool authenticated_ = false;
  MessageLimits limits_;
  int64_t announced_ = 0;
  int64_t arrived_ = 0;
  int64_t allowed_ = 0;
  bool has_answer_ = false;
  MessageBudget::Holding request_, answer_;
};

}  // namespace dl::rpc
