// Unauthenticated connections that occupy a master. Some are silent, some send half of a
// handshake's first record, some send it byte by byte. Others send the whole record, make the
// master sign its answer, and send nothing more. A connection that the master closes is opened
// again.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/file_descriptor.h"
#include "base/thread.h"
#include "tests/network/machine_network.h"

namespace dl::test {

class Crowd {
 public:
  // Keeps `count` connections open from that machine to HOST (IPv4) until it is destroyed.
  Crowd(const Machine& machine, std::string host, int port, int count);
  ~Crowd();

  int64_t opened() const { return opened_; }  // opened so far, including closed ones

 private:
  void Run();

  const std::string host_;
  const int port_, count_;
  std::atomic<int64_t> opened_ = 0;
  FileDescriptor stop_;
  Thread thread_;
};

}  // namespace dl::test
