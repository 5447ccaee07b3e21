// A connection of the master's server, as far as messages take the server's memory and time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "rpc/connection_meter.h"

namespace dl::sim {

// Used by one thread of the master's process.
class ServerConnection {
 public:
  struct Options {
    rpc::MessageBudgets* budgets = nullptr;
    std::string token;
    bool is_slow = false;                  // the peer stops sending in the middle of a message
    std::function<void(Duration)> waited;  // for memory of an honest peer's message
  };
  explicit ServerConnection(Options options);

  // Receives a message with this number of bytes of contents. A byte takes the memory of
  // kBytesOfByte, up to what the method may have: contents of the simulator are small. Unavailable
  // when the server ends the connection, or has no memory.
  Status Receive(std::string_view method, int64_t bytes);
  rpc::ConnectionMeter& meter() { return meter_; }

 private:
  static constexpr int64_t kBytesOfByte = 64 << 10;

  // Throws the exceptions of rpc::ConnectionMeter.
  void Arrive(int64_t bytes);

  const Options options_;
  std::atomic<int64_t> moved_{0};
  bool ended_ = false;
  rpc::ConnectionMeter meter_;
};

}  // namespace dl::sim
