#include "tests/sim/fiber.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <utility>
#include <vector>

#include "base/status.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace dl::sim {
namespace {

constexpr size_t kStackBytes = size_t{512} << 10;
constexpr size_t kGuardBytes = 4096;

// Stacks of ended fibers, reused by later fibers.
std::vector<char*>& FreeStacks() {
  static auto& free = *new std::vector<char*>;
  return free;
}

char* TakeStack() {
  std::vector<char*>& free = FreeStacks();
  if (!free.empty()) {
    char* const stack = free.back();
    free.pop_back();
    return stack;
  }
  void* const memory = mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  DL_CHECK(memory != MAP_FAILED);
  DL_CHECK(mprotect(memory, kGuardBytes, PROT_NONE) == 0);
  return static_cast<char*>(memory) + kGuardBytes;
}

Fiber* running_fiber = nullptr;

}  // namespace

// The sanitizers must be informed of each change of stacks.
struct Fiber::Stacks {
  char* own_stack = TakeStack();
  ucontext_t own{}, caller{};
#if defined(__SANITIZE_ADDRESS__)
  void* own_fake = nullptr;
  void* caller_fake = nullptr;
  const void* caller_bottom = nullptr;
  size_t caller_bytes = 0;
#endif
#if defined(__SANITIZE_THREAD__)
  void* own_tsan = __tsan_create_fiber(0);
  void* caller_tsan = nullptr;
#endif

  ~Stacks() {
    FreeStacks().push_back(own_stack);
#if defined(__SANITIZE_THREAD__)
    __tsan_destroy_fiber(own_tsan);
#endif
  }
  void ToOwn() {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&caller_fake, own_stack, kStackBytes);
#endif
#if defined(__SANITIZE_THREAD__)
    caller_tsan = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(own_tsan, 0);
#endif
    DL_CHECK(swapcontext(&caller, &own) == 0);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(caller_fake, nullptr, nullptr);
#endif
  }
  void Arrive() {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(own_fake, &caller_bottom, &caller_bytes);
#endif
  }
  void ToCaller(bool for_good) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(for_good ? nullptr : &own_fake, caller_bottom, caller_bytes);
#endif
#if defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber(caller_tsan, 0);
#endif
    (void)for_good;
    DL_CHECK(swapcontext(&own, &caller) == 0);
    Arrive();
  }
};

Fiber::Fiber(std::function<void()> body)
    : body_(std::move(body)), stacks_(std::make_unique<Stacks>()) {
  DL_CHECK(getcontext(&stacks_->own) == 0);
  stacks_->own.uc_stack.ss_sp = stacks_->own_stack;
  stacks_->own.uc_stack.ss_size = kStackBytes;
  stacks_->own.uc_link = nullptr;
  makecontext(&stacks_->own, &Fiber::Run, 0);
}

Fiber::~Fiber() { DL_CHECK(done_); }

void Fiber::Resume() {
  DL_CHECK(running_fiber == nullptr && !done_);
  running_fiber = this;
  stacks_->ToOwn();
  running_fiber = nullptr;
}

void Fiber::Wait() {
  DL_CHECK(running_fiber != nullptr);
  running_fiber->stacks_->ToCaller(false);
}

void Fiber::Run() {
  Fiber& self = *running_fiber;
  self.stacks_->Arrive();
  self.body_();
  self.body_ = nullptr;
  self.done_ = true;
  self.stacks_->ToCaller(true);
}

}  // namespace dl::sim
