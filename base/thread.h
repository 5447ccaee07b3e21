// A named thread that joins itself.
#pragma once

#include <functional>
#include <string>
#include <thread>

namespace dl {

// Runs `body` on a new thread whose name (its first 15 characters) shows in top and gdb. Joins on
// destruction: whoever owns one tells its body to end first. The new thread blocks all signals but
// those of its own faults, so that they reach the main thread.
class Thread {
 public:
  Thread() = default;
  Thread(std::string name, std::function<void()> body);
  ~Thread() { Join(); }
  Thread(Thread&&) = default;
  Thread& operator=(Thread&& other);

  void Join();  // idempotent

 private:
  std::thread thread_;
};

}  // namespace dl
