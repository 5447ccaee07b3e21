// A function with its own stack that can wait in the middle. Blocking code thus runs in virtual
// time on a single thread.
#pragma once

#include <functional>
#include <memory>

namespace dl::sim {

class Fiber {
 public:
  explicit Fiber(std::function<void()> body);
  // REQUIRES: done().
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Runs the body until it waits or ends. REQUIRES: not called within a fiber, and not done().
  void Resume();
  bool done() const { return done_; }

  // Returns to the caller of Resume until the next Resume. REQUIRES: called within a fiber.
  static void Wait();

 private:
  struct Stacks;
  static void Run();

  std::function<void()> body_;
  bool done_ = false;
  std::unique_ptr<Stacks> stacks_;
};

}  // namespace dl::sim
