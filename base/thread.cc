#include "base/thread.h"

#include <pthread.h>
#include <signal.h>

#include <utility>

namespace dl {

Thread::Thread(std::string name, std::function<void()> body) {
  // Inherited by the new thread, so that no signal reaches it even in its first instructions.
  sigset_t all, before;
  sigfillset(&all);
  // A fault of the thread itself would end the process without its handler, if it were blocked.
  for (const int fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS})
    sigdelset(&all, fault);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([name = name.substr(0, 15), body = std::move(body)] {
    pthread_setname_np(pthread_self(), name.c_str());
    body();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Thread& Thread::operator=(Thread&& other) {
  Join();
  thread_ = std::move(other.thread_);
  return *this;
}

void Thread::Join() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace dl
