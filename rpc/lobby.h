// Where accepted connections wait, without a thread, until their peer has said something and may
// come in: those that say nothing, or never end what they began, cost a descriptor each.
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

// Used by the thread that accepts; Wake by any.
class Lobby {
 public:
  using Socket = std::shared_ptr<apache::thrift::transport::TSocket>;

  struct Options {
    bool encrypted = false;  // a TLS record is waited for whole, of anything else the first byte
    int64_t places = 0;      // beyond them whoever came first has to go
    std::chrono::milliseconds patience;  // then a connection is closed that has not come in
    std::function<bool(const std::string& address)> may_enter;
  };
  // Unavailable, ResourceExhausted: the system gives no descriptors for it.
  static StatusOr<std::unique_ptr<Lobby>> Open(Options options);

  // Waits for one that may come in. `accept` takes a connection from `listener`, always the same,
  // when there is one; what it throws passes through. Null once Wake was
  // called: nobody waits any more then.
  Socket Next(int listener, const std::function<Socket()>& accept);
  void Wake();

 private:
  struct Guest {
    Socket socket;
    std::string address;
    Instant since;
  };

  explicit Lobby(Options options) : options_(std::move(options)) {}
  Status Watch(int fd, uint32_t events, uint64_t name);
  void Seat(Socket socket);
  void Hear(uint64_t guest, bool ended);
  Socket Enter();
  void CloseLate();
  void Close(uint64_t guest);
  int WaitMs() const;

  const Options options_;
  FileDescriptor epoll_, wake_;
  bool listens_ = false;
  uint64_t next_;
  std::map<uint64_t, Guest> guests_;                    // in the order in which they came
  std::map<std::string, std::vector<uint64_t>> ready_;  // that have said enough, by address
};

}  // namespace dl::rpc
