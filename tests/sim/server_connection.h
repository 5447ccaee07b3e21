// A connection of the master's server. Models the memory and time that messages take.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
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
    bool is_slow = false;  // the peer stops sending in the middle of a message
    // Called after waiting for the memory of an honest message, also if it was not granted.
    std::function<void(Duration)> waited;
  };
  explicit ServerConnection(Options options);

  // Receives a message with `bytes` bytes of contents. Contents in the simulator are small, so each
  // byte counts as kBytesOfByte, up to the limit of the method. Returns Unavailable if the server
  // ends the connection or has no memory.
  Status Receive(std::string_view method, int64_t bytes);
  rpc::ConnectionMeter& meter() { return meter_; }

 private:
  static constexpr int64_t kBytesOfByte = 64 << 10;

  // Throws the exceptions of rpc::ConnectionMeter.
  void ReceiveBytes(int64_t bytes);
  void ReportWait();  // once per wait

  const Options options_;
  std::atomic<int64_t> moved_{0};
  bool ended_ = false;
  std::optional<Instant> waits_since_;  // set while a message waits for memory
  rpc::ConnectionMeter meter_;
};

}  // namespace dl::sim
