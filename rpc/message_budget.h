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

// A connection that holds memory for messages. It outlives its holdings.
struct MessagePeer {
  std::string token;  // id; connections with a certificate have the owner's name here
  const std::atomic<int64_t>* moved_bytes = nullptr;  // through its socket, both ways
  // Ends the connection. May be called from any thread; does not call the budget.
  std::function<void()> end;
};

// Grants memory to messages while their bytes arrive. Three rules keep a peer from taking it from
// the others:
// - A token holds at most `bytes_of_token`, and waiting tokens are served in rotation.
// - Bytes are granted only if all messages under way can still be completed, one after another
//   (the banker's algorithm for one resource, Dijkstra, EWD 623). So messages that hold a part of
//   what they need never wait for each other in a circle.
// - While any message waits, a message whose peer moves fewer bytes than LeastRate is ended.
// Thread-safe.
class MessageBudget {
 public:
  struct Options {
    int64_t bytes = 0;                         // of all connections together
    int64_t bytes_of_token = 0;                // at least the largest message's
    Duration look = limits::kMessageRateLook;  // between two measurements of rates
  };
  explicit MessageBudget(Options options);
  ~MessageBudget();  // REQUIRES: nothing is held
  MessageBudget(const MessageBudget&) = delete;

  // Memory of one message or answer. Used by one thread; the budget outlives it.
  class Holding {
   public:
    Holding() = default;
    Holding(const Holding&) = delete;
    ~Holding() { Release(); }

    // Joins the budget with 0 bytes. `most`: what the message may come to hold. REQUIRES: it has
    // not joined, and `most` is at most the budget's bytes_of_token.
    void Join(MessageBudget& budget, const MessagePeer& peer, int64_t most);
    bool joined() const { return budget_ != nullptr; }
    int64_t bytes() const { return bytes_; }

    // Waits until `bytes` more are granted. Unavailable at the deadline, after Close, or when the
    // connection was ended for its rate. REQUIRES: bytes() stays within `most`.
    Status Grow(int64_t bytes, Instant deadline);
    // Gives back what is beyond `bytes`. The message needs no more than that from now on.
    void ShrinkTo(int64_t bytes);
    // Whether the peer is the one that has to move bytes now: its rate counts only then.
    void BeginMoving();
    void EndMoving();
    // Gives all back and leaves the budget.
    void Release();

   private:
    friend class MessageBudget;
    MessageBudget* budget_ = nullptr;
    int64_t bytes_ = 0;

    // Guarded by the budget's mutex.
    const MessagePeer* peer_ = nullptr;
    int64_t most_ = 0;
    int64_t wanted_ = 0;  // above 0 while Grow waits
    bool moving_ = false;
    bool ended_ = false;
    std::optional<int64_t> sample_;  // bytes that its peer had moved at the last measurement
    CondVar turn_;
  };

  // Waiting messages give up, and later ones do not wait.
  void Close() DL_EXCLUDES(mutex_);

  int64_t free() DL_EXCLUDES(mutex_);
  int64_t waiting() DL_EXCLUDES(mutex_);

  // Bytes per second that a message has to move while others wait, by what it holds: the more it
  // keeps from them, the faster it has to be.
  static int64_t LeastRate(int64_t held);

 private:
  // Memory that is shared by some holdings: all of them, or those of one token.
  struct Scope {
    int64_t capacity = 0;
    int64_t held = 0;
    std::set<std::pair<int64_t, Holding*>> by_need;  // most minus bytes

    bool IsSafeAfter(const Holding& holding, int64_t bytes) const;
  };
  struct Token {
    Scope scope;
    // Messages that wait: those that hold a part already, and those that hold nothing yet.
    std::deque<Holding*> begun, fresh;
    bool full = false;  // no message that waits fits the scope; cleared when the scope changes
  };
  enum class Fit { kYes, kTokenIsFull, kAllIsFull };

  void Join(Holding& holding) DL_EXCLUDES(mutex_);
  Status Grow(Holding& holding, int64_t bytes, Instant deadline) DL_EXCLUDES(mutex_);
  void ShrinkTo(Holding& holding, int64_t bytes) DL_EXCLUDES(mutex_);
  void Leave(Holding& holding) DL_EXCLUDES(mutex_);

  void Enter(Holding& holding) DL_REQUIRES(mutex_);   // into by_need of its scopes
  void Remove(Holding& holding) DL_REQUIRES(mutex_);  // from by_need
  void GiveBack(Holding& holding, int64_t bytes) DL_REQUIRES(mutex_);
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
