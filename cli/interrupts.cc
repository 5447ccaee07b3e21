#include "cli/interrupts.h"

#include <signal.h>
#include <unistd.h>

#include "cli/exit_code.h"

namespace dl::cli {
namespace {

// What a signal handler may touch.
std::atomic<bool> in_use{false};
std::atomic<bool> stop_flag{false};
std::atomic<int> first_signal{0};
std::atomic<bool> clear_line{false};

void OnSignal(int signal) {
  if (stop_flag.exchange(true)) {
    constexpr char kClear[] = "\r\x1b[K";
    if (clear_line && write(STDERR_FILENO, kClear, sizeof kClear - 1) < 0) _exit(128 + signal);
    _exit(128 + signal);
  }
  first_signal = signal;
}

}  // namespace

Interrupts::Interrupts() {
  DL_CHECK(!in_use.exchange(true));
  stop_flag = false;
  first_signal = 0;
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

Interrupts::~Interrupts() { in_use = false; }

void ClearLineOnExit(bool wanted) { clear_line = wanted; }

const std::atomic<bool>& Interrupts::stop() const { return stop_flag; }
int Interrupts::exit_code() const { return first_signal == 0 ? 0 : 128 + first_signal; }

Status Interrupts::WithSignal(const Status& status) const {
  return absl::IsCancelled(status) && exit_code() != 0 ? WithExitCode(status, exit_code()) : status;
}

}  // namespace dl::cli
