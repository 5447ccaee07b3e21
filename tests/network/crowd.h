// Connections that want nothing good: silent ones, ones that begin a handshake's first record and
// never end it, ones that send a byte of it now and then, ones that send it whole, have the master
// sign its answer, and say no more. Who is closed comes again.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/file_descriptor.h"
#include "base/thread.h"
#include "tests/network/network.h"

namespace dl::test {

class Crowd {
 public:
  // So many at a time, from that machine to HOST (IPv4) until the object goes.
  Crowd(const Machine& machine, std::string host, int port, int count);
  ~Crowd();

  int64_t opened() const { return opened_; }  // so far, the closed ones too

 private:
  void Run();

  const std::string host_;
  const int port_, count_;
  std::atomic<int64_t> opened_ = 0;
  FileDescriptor stop_;
  Thread thread_;
};

}  // namespace dl::test
