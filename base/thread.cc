#include "base/thread.h"

#include <pthread.h>
#include <signal.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/fail_point.h"
#include "base/mutex.h"
#include "base/process_end.h"
#include "base/thread_limit.h"

namespace dl {
namespace {

// How long to wait, because threads of other processes may end in the meantime.
constexpr Duration kStartTimeout = std::chrono::seconds(1);
constexpr Duration kPause = std::chrono::milliseconds(20);

void WaitFor(Duration duration) {
  Mutex mutex;
  CondVar never;
  MutexLock lock(mutex);
  never.WaitFor(mutex, duration);
}

// Returns 0, or the errno if the thread could not be started.
int StartInto(std::thread& thread, const std::string& name, const std::function<void()>& body) {
  if (!FailPoint("thread.start").ok()) return EAGAIN;
  // The new thread inherits the mask, so that no signal reaches it even in its first instructions.
  sigset_t all, before;
  sigfillset(&all);
  // A blocked fault of the thread itself would end the process without calling its handler.
  for (const int fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS})
    sigdelset(&all, fault);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = 0;
  try {
    thread = std::thread([name = name.substr(0, 15), body] {
      pthread_setname_np(pthread_self(), name.c_str());
      body();
    });
  } catch (const std::system_error& failed) {
    error = failed.code().value();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error;
}

}  // namespace

Thread::Thread(std::string name, std::function<void()> body) {
  if (Scheduler* const scheduler = Scheduler::Installed()) {
    scheduled_ = scheduler->Start(std::move(body));
    return;
  }
  const Instant last = Clock::Real().Now() + kStartTimeout;
  for (;;) {
    const int error = StartInto(thread_, name, body);
    if (error == 0) return;
    if (Clock::Real().Now() >= last) EndProcess(CannotStart(error, "a thread"));
    WaitFor(kPause);
  }
}

StatusOr<Thread> Thread::Start(const std::string& name, std::function<void()> body) {
  if (Scheduler::Installed() != nullptr) return Thread(name, std::move(body));
  Thread started;
  if (const int error = StartInto(started.thread_, name, body); error != 0)
    return CannotStart(error, "a thread");
  return started;
}

Thread& Thread::operator=(Thread&& other) {
  Join();
  thread_ = std::move(other.thread_);
  scheduled_ = std::move(other.scheduled_);
  return *this;
}

void Thread::Join() {
  if (thread_.joinable()) thread_.join();
  if (scheduled_ == nullptr) return;
  scheduled_->Join();
  scheduled_ = nullptr;
}

}  // namespace dl
