// A host on the way: connections to a port of it go on to the same port elsewhere, with what far
// and bad networks do to them.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/file_descriptor.h"
#include "base/thread.h"
#include "tests/network/network.h"

namespace dl::test {

class Relay {
 public:
  struct Options {
    std::string host;  // IPv4
    int port = 0;
    Duration delay = Duration(0);   // of each byte, in each direction
    Duration jitter = Duration(0);  // more or less of it; the order stays
    // Each connection is reset after so many bytes towards the host. 0: none is.
    int64_t reset_each_after = 0;
  };
  Relay(const Machine& machine, Options options);
  ~Relay();

  const std::string& address() const { return address_; }
  // The connection on which the last of so many more bytes has come is reset, on both sides: once.
  void ResetAfter(int64_t bytes) { until_reset_ = bytes; }
  void ResetNoMore() { until_reset_ = -1; }
  int64_t resets() const { return resets_; }

 private:
  class Loop;

  const Options options_;
  std::atomic<int64_t> until_reset_ = -1;  // -1: none is
  std::atomic<int64_t> resets_ = 0;
  const std::string address_;
  FileDescriptor listener_, stop_;
  Thread thread_;
};

}  // namespace dl::test
