// A host in the middle: forwards connections at one of its ports to the same port of another host.
// It simulates distant and faulty networks.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/file_descriptor.h"
#include "base/thread.h"
#include "tests/network/machine_network.h"

namespace dl::test {

class Relay {
 public:
  struct Options {
    std::string host;  // IPv4
    int port = 0;
    Duration delay = Duration(0);   // of each byte, in each direction
    Duration jitter = Duration(0);  // random change of the delay; the order of bytes stays
    // Resets each connection after that many bytes towards the host. 0: resets none.
    int64_t reset_each_after = 0;
  };
  Relay(const Machine& machine, Options options);
  ~Relay();

  const std::string& address() const { return address_; }
  // After that many more bytes, resets on both sides the connection that carried the last byte.
  // Does so once.
  void ResetAfter(int64_t bytes) { until_reset_ = bytes; }
  void ResetNoMore() { until_reset_ = -1; }
  int64_t resets() const { return resets_; }

 private:
  class Loop;

  const Options options_;
  std::atomic<int64_t> until_reset_ = -1;  // -1: no reset is planned
  std::atomic<int64_t> resets_ = 0;
  const std::string address_;
  FileDescriptor listener_, stop_;
  Thread thread_;
};

}  // namespace dl::test
