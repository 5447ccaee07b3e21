// Accepted connections that wait, without a thread, until their peer has sent its first bytes and
// may enter. A peer that sends nothing costs only a file descriptor. On an encrypted port this also
// holds for a peer that never completes its first record.
#pragma once

#include <thrift/transport/TSocket.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file_descriptor.h"
#include "base/status.h"

namespace dl::rpc {

// Used by the accepting thread only, except Wake, which any thread may call.
class Lobby {
 public:
  using Socket = std::shared_ptr<apache::thrift::transport::TSocket>;

  // Pause after a connection could not be accepted.
  static constexpr std::chrono::milliseconds kAcceptRetryPause{100};

  struct Options {
    bool encrypted = false;  // wait for the first complete TLS record; else for the first byte
    int64_t capacity = 0;    // number of waiting connections; beyond it the oldest is closed
    // A connection that has not entered after this time is closed.
    std::chrono::milliseconds timeout;
    // Returns whether a connection from this address (NetworkOf) may enter now. Not null.
    std::function<bool(const std::string& address)> may_enter;
  };
  // Returns Unavailable if the process or the system has no file descriptors or memory left.
  static StatusOr<std::unique_ptr<Lobby>> Open(Options options);

  // Waits for a connection that may enter, and returns it. `accept` takes a connection from
  // `listener`, which must be the same in every call. If `accept` throws TTransportException,
  // because the process has no descriptor or no memory left, the connection that has waited longest
  // is closed and nothing is accepted for kAcceptRetryPause. An exception of type INTERRUPTED is
  // passed on to the caller. Returns null after Wake; all waiting connections are closed then.
  Socket Next(int listener, const std::function<Socket()>& accept);
  // Makes the current call and all later calls of Next return null. A call may still return a
  // connection that was ready before.
  void Wake();

 private:
  struct Waiting {
    Socket socket;
    std::string address;
    Instant since;
  };

  explicit Lobby(Options options) : options_(std::move(options)) {}
  Status Watch(int fd, uint32_t events, uint64_t name);
  void AcceptOne(int listener, const std::function<Socket()>& accept);
  void AddWaiting(Socket socket);
  void OnReadable(uint64_t connection, bool ended);
  Socket TakeReady();
  void CloseLate();
  void Close(uint64_t connection);
  int WaitMs() const;

  const Options options_;
  FileDescriptor epoll_, wake_;
  bool listens_ = false;
  Instant accept_retry_at_, warned_at_;  // after a connection that could not be accepted
  uint64_t next_;
  std::map<uint64_t, Waiting> waiting_;  // in order of arrival
  // Connections that have sent enough, by address.
  std::map<std::string, std::vector<uint64_t>> ready_;
};

}  // namespace dl::rpc
