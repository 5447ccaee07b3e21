#include "launch/stop_signal.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <iterator>

#include "base/status.h"

namespace dl::launch {
namespace {

// State that the signal handler uses: only lock-free atomics and a pipe.
std::atomic<bool> raised_flag{false};
std::atomic<int> signal_count{0};
int pipe_ends[2] = {-1, -1};
constexpr int kSignals[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2};
struct sigaction previous[std::size(kSignals)];

void Wake() {
  const int saved = errno;
  raised_flag = true;
  const char byte = 1;
  // If the pipe is full, the waiting thread has been woken already.
  if (write(pipe_ends[1], &byte, 1) < 0) errno = saved;
}

void OnSignal(int) {
  ++signal_count;
  Wake();
}

}  // namespace

StopSignal::StopSignal() {
  DL_CHECK(pipe_ends[0] < 0);
  DL_CHECK(pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) == 0);
  raised_flag = false;
  signal_count = 0;
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &previous[i]);
    const bool ignored = kSignals[i] == SIGHUP && previous[i].sa_handler == SIG_IGN;
    if (!ignored) sigaction(kSignals[i], &action, nullptr);
  }
}

StopSignal::~StopSignal() {
  for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &previous[i], nullptr);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  pipe_ends[0] = pipe_ends[1] = -1;
}

void StopSignal::Wait() {
  while (!raised_flag) {
    pollfd fd = {pipe_ends[0], POLLIN, 0};
    (void)poll(&fd, 1, -1);
  }
}

void StopSignal::Raise() { Wake(); }
int StopSignal::signals() const { return signal_count; }

}  // namespace dl::launch
