// Memory of a server for large messages of one kind, shared by all connections.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/limits.h"
#include "base/mutex.h"
#include "base/status.h"

namespace dl::rpc {

// A connection that holds memory for messages. It must outlive its holdings.
struct MessagePeer {
  std::string token;  // token id; for connections with a certificate, the owner's name
  // Bytes that its socket has read and written. Not null.
  const std::atomic<int64_t>* moved_bytes = nullptr;
  // Ends the connection. Called from any thread. Must not call the budget. Not null.
  std::function<void()> end;
};

// Grants memory to messages while their bytes arrive. Three rules prevent a peer from blocking
// others:
// - A token holds at most `bytes_of_token`, and waiting tokens are served in rotation.
// - Bytes are granted only if all joined messages can still be completed, one after another (the
//   banker's algorithm for one resource, Dijkstra, EWD 623). So messages that hold a part of their
//   memory never wait for each other in a cycle.
// - While any message waits, rates are measured at intervals of Options::measure_interval.
// Connections whose
//   message is moving (BeginMoving) and slower than MinRate are ended.
//
// Thread-safe.
class MessageBudget {
 public:
  struct Options {
    int64_t bytes = 0;           // for all connections together
    int64_t bytes_of_token = 0;  // at most `bytes`, at least the largest message
    Duration measure_interval =
        limits::kMessageRateInterval;  // time between two measurements of rates
  };
  explicit MessageBudget(Options options);
  ~MessageBudget();  // REQUIRES: no holding is joined
  MessageBudget(const MessageBudget&) = delete;

  // Memory of one message or answer. Must be used by one thread. The budget and the peer must
  // outlive it.
  class Holding {
   public:
    Holding() = default;
    Holding(const Holding&) = delete;
    ~Holding() { Release(); }

    // Joins the budget with 0 bytes. `most`: the largest size of the message. REQUIRES: not joined,
    // and `most` is at most the budget's bytes_of_token.
    void Join(MessageBudget& budget, const MessagePeer& peer, int64_t most);
    bool joined() const { return budget_ != nullptr; }
    int64_t bytes() const { return bytes_; }

    // Waits until `bytes` more are granted. Returns Unavailable at the deadline, after Close, or if
    // the connection was ended because of its rate. REQUIRES: joined, `bytes` > 0, and bytes()
    // stays within `most`.
    Status Grow(int64_t bytes, Instant deadline);
    // Releases all but `bytes`, which becomes the message's largest size. Does nothing if it is not
    // joined or holds fewer.
    void ShrinkTo(int64_t bytes);
    // Mark the time in which the peer has to move bytes. Its rate is measured only then. Do nothing
    // if not joined.
    void BeginMoving();
    void EndMoving();
    // Releases everything and leaves the budget. Does nothing if not joined.
    void Release();

   private:
    friend class MessageBudget;
    MessageBudget* budget_ = nullptr;
    int64_t bytes_ = 0;

    // Guarded by the budget's mutex.
    const MessagePeer* peer_ = nullptr;
    int64_t max_bytes_ = 0;
    int64_t wanted_ = 0;  // above 0 while Grow waits
    bool moving_ = false;
    bool ended_ = false;
    std::optional<int64_t> sample_;  // bytes moved by the peer at the last measurement
    CondVar turn_;
  };

  // Makes current and later calls of Grow return Unavailable at once.
  void Close() DL_EXCLUDES(mutex_);

  int64_t bytes_of_token() const { return options_.bytes_of_token; }
  // Bytes that are not held, and number of messages that wait.
  int64_t free() DL_EXCLUDES(mutex_);
  int64_t waiting() DL_EXCLUDES(mutex_);

  // Returns the least rate, in bytes per second, of a message that holds `held` bytes while others
  // wait. The more memory a message holds, the faster it must be.
  static int64_t MinRate(int64_t held);

 private:
  // Memory shared by a set of holdings: all of them, or those of one token.
  struct Scope {
    int64_t capacity = 0;
    int64_t held = 0;
    std::set<std::pair<int64_t, Holding*>> by_need;  // ordered by max_bytes_ - bytes_

    // Returns whether all holdings can still be completed, one after another, if `holding` gets
    // `bytes` more.
    bool IsSafeAfter(const Holding& holding, int64_t bytes) const;
  };
  struct Token {
    Scope scope;
    // Waiting messages that hold memory already, and waiting messages that hold none.
    std::deque<Holding*> begun, fresh;
    bool full = false;  // no waiting message fits the scope; reset when the scope changes
  };
  enum class Fit { kYes, kTokenIsFull, kAllIsFull };

  void Join(Holding& holding) DL_EXCLUDES(mutex_);
  Status Grow(Holding& holding, int64_t bytes, Instant deadline) DL_EXCLUDES(mutex_);
  void ShrinkTo(Holding& holding, int64_t bytes) DL_EXCLUDES(mutex_);
  void Leave(Holding& holding) DL_EXCLUDES(mutex_);

  void AddToScopes(Holding& holding) DL_REQUIRES(mutex_);  // adds it to by_need of its scopes
  void Remove(Holding& holding) DL_REQUIRES(mutex_);       // removes it from by_need
  void ReturnBytes(Holding& holding, int64_t bytes) DL_REQUIRES(mutex_);
  void StopWaiting(Holding& holding) DL_REQUIRES(mutex_);
  Fit FitOf(const Holding& holding, const Token& token) const DL_REQUIRES(mutex_);
  void Grant(Holding& holding, Token& token) DL_REQUIRES(mutex_);
  void GrantAll() DL_REQUIRES(mutex_);
  bool GrantOne(Token& token, bool* all_is_full) DL_REQUIRES(mutex_);
  void EndSlow(Instant now) DL_REQUIRES(mutex_);

  const Options options_;
  Mutex mutex_;
  bool closed_ DL_GUARDED_BY(mutex_) = false;
  Scope all_ DL_GUARDED_BY(mutex_);
  std::map<std::string, Token> tokens_ DL_GUARDED_BY(mutex_);
  std::string served_ DL_GUARDED_BY(mutex_);            // token that was served last
  std::deque<Holding*> waiters_ DL_GUARDED_BY(mutex_);  // the first one measures rates
  Instant measured_at_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::rpc
