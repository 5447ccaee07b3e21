// Memory that an HTTP server holds for its clients: bodies of requests, and answers until they are
// sent.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"

namespace dl::web {

// Limits the memory in total and for each client. Two rules prevent clients that do not read from
// blocking others:
// - A client that would hold more than its share is refused.
// - If all memory is held, a connection that waits for its peer is ended: of the client whose
//   waiting connections hold most, the one that has waited longest. This client must be another
//   than the one that wants memory, and its waiting connections must hold more than all connections
//   of the latter would hold.
//
// Thread-safe.
class HeldMemory {
 public:
  struct Options {
    int64_t bytes = 0;            // of all clients together
    int64_t bytes_of_client = 0;  // at most `bytes`
  };
  explicit HeldMemory(const Options& options) : options_(options) {}
  HeldMemory(const HeldMemory&) = delete;

  // Memory of one connection. Methods may be called by any thread, one at a time.
  class Holding {
   public:
    // `memory` must outlive this object. `end` starts to end the connection, whose destructor
    // destroys this object. It is called by any thread and must not call the memory.
    Holding(HeldMemory& memory, std::function<void()> end)
        : memory_(memory), end_(std::move(end)) {}
    ~Holding() { Release(); }
    Holding(const Holding&) = delete;

    // Releases what was held, and then holds `bytes` for a client. Waits at most `timeout` for
    // connections that are being ended. Returns ResourceExhausted for more than the client's share,
    // and Unavailable if there is no memory. After an error, nothing is held.
    Status Hold(const std::string& client, int64_t bytes, Duration timeout);
    // Mark the time in which the bytes wait for the peer. Only then is the connection ended for
    // others.
    void BeginWaitingForPeer();
    void EndWaitingForPeer();
    void Release();

   private:
    friend class HeldMemory;
    HeldMemory& memory_;
    const std::function<void()> end_;

    // Guarded by the mutex of the memory.
    std::string client_;
    int64_t bytes_ = 0;
    uint64_t waiting_since_ = 0;  // place in waiting_; 0: it is not there
    bool is_ending_ = false;
  };

  int64_t held() const DL_EXCLUDES(mutex_);
  int64_t HeldBy(const std::string& client) const DL_EXCLUDES(mutex_);

 private:
  void Release(Holding& holding) DL_REQUIRES(mutex_);
  void StopWaiting(Holding& holding) DL_REQUIRES(mutex_);
  // Ends a connection for the benefit of a client that would hold `bytes`. Returns false if none
  // may be ended.
  bool EndConnectionFor(const std::string& client, int64_t bytes) DL_REQUIRES(mutex_);

  const Options options_;
  mutable Mutex mutex_;
  CondVar released_;
  int64_t held_ DL_GUARDED_BY(mutex_) = 0;
  int64_t ending_ DL_GUARDED_BY(mutex_) = 0;  // bytes of connections that are being ended
  std::map<std::string, int64_t> clients_ DL_GUARDED_BY(mutex_);
  uint64_t last_ DL_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, Holding*> waiting_ DL_GUARDED_BY(mutex_);  // the oldest first
};

}  // namespace dl::web
