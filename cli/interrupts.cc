#include "cli/interrupts.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/exit_code.h"

namespace dl::cli {
namespace {

// State that the signal handlers use.
std::atomic<bool> in_use{false};
std::atomic<bool> stop_flag{false};
std::atomic<int> first_signal{0};
std::atomic<const char*> last_bytes{nullptr};
std::atomic<bool> checkpoint_asked{false};

void OnSignal(int signal) {
  if (stop_flag.exchange(true)) {
    if (signal != SIGINT && signal != SIGTERM) return;
    const char* const bytes = last_bytes;
    if (bytes != nullptr && write(STDERR_FILENO, bytes, strlen(bytes)) < 0) _exit(128 + signal);
    _exit(128 + signal);
  }
  first_signal = signal;
}

void OnCheckpointSignal(int) { checkpoint_asked = true; }

int NumberOf(const std::string& name) {
  if (name == "HUP") return SIGHUP;
  if (name == "USR1") return SIGUSR1;
  return name == "USR2" ? SIGUSR2 : 0;
}

}  // namespace

Interrupts::Interrupts(const std::string& checkpoint_signal) {
  DL_CHECK(!in_use.exchange(true));
  stop_flag = false;
  first_signal = 0;
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  checkpoint_asked = false;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU}) {
    struct sigaction before = {};
    const bool ignored = signal == SIGHUP && sigaction(signal, nullptr, &before) == 0 &&
                         before.sa_handler == SIG_IGN;
    if (!ignored) sigaction(signal, &action, nullptr);
  }
  if (const int signal = NumberOf(checkpoint_signal); signal != 0) {
    action.sa_handler = OnCheckpointSignal;
    sigaction(signal, &action, nullptr);
  }
}

Interrupts::~Interrupts() { in_use = false; }

void WriteOnExit(const char* bytes) { last_bytes = bytes; }

const std::atomic<bool>& Interrupts::stop() const { return stop_flag; }
bool Interrupts::TakeCheckpointRequest() const { return checkpoint_asked.exchange(false); }
int Interrupts::exit_code() const { return first_signal == 0 ? 0 : 128 + first_signal; }

Status Interrupts::WithSignal(const Status& status) const {
  return absl::IsCancelled(status) && exit_code() != 0 ? WithExitCode(status, exit_code()) : status;
}

}  // namespace dl::cli
