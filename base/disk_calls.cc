#include "base/disk_calls.h"

#include <algorithm>
#include <vector>

#include "base/log.h"
#include "base/mutex.h"
#include "base/thread.h"

namespace dl {

struct DiskCalls::Started {
  std::function<void()> call;  // used only by the thread
  Instant at;
  bool returned = false;  // guarded by State::mutex, as the next
  bool overdue = false;   // the caller has given it up
};

struct DiskCalls::State {
  struct Overdue {
    std::shared_ptr<Started> call;
    Thread thread;
  };
  std::string what;
  Mutex mutex;
  CondVar changed;
  Instant last_return DL_GUARDED_BY(mutex);
  std::vector<Overdue> overdue DL_GUARDED_BY(mutex);  // also those that have returned since

  bool hangs() const DL_REQUIRES(mutex) {
    return std::ranges::any_of(overdue, [](const Overdue& one) { return !one.call->returned; });
  }
  void Return(Started& call) DL_EXCLUDES(mutex) {
    MutexLock lock(mutex);
    call.returned = true;
    last_return = Clock::Real().Now();
    changed.NotifyAll();
    if (call.overdue && !hangs()) LogInfo(what, " answers again");
  }
};

DiskCalls::DiskCalls(Options options)
    : options_(std::move(options)), state_(std::make_shared<State>()) {
  state_->what = options_.what;
}

DiskCalls::~DiskCalls() {
  // A thread is joined before its object is destroyed, so the objects of threads that hang stay
  // until the process ends.
  static auto& kept = *new std::vector<State::Overdue>;
  static auto& keeping = *new Mutex;
  MutexLock keep(keeping);
  MutexLock lock(state_->mutex);
  for (State::Overdue& overdue : state_->overdue) {
    if (!overdue.call->returned) kept.push_back(std::move(overdue));
  }
  state_->overdue.clear();
}

bool DiskCalls::hangs() const {
  MutexLock lock(state_->mutex);
  return state_->hangs();
}

bool DiskCalls::Answers(std::function<void()> call) {
  {
    MutexLock lock(state_->mutex);
    if (state_->hangs()) return false;
    state_->overdue.clear();  // joins threads whose calls have returned
  }
  const auto started = std::make_shared<Started>();
  started->call = std::move(call);
  started->at = Clock::Real().Now();
  StatusOr<Thread> thread = Thread::Start("disk", [state = state_, started] {
    started->call();
    started->call = nullptr;  // frees what the call owns, which may touch the disk too
    state->Return(*started);
  });
  if (!thread.ok()) {
    started->call();
    return true;
  }
  if (!WaitFor(*started)) {
    MutexLock lock(state_->mutex);
    if (!started->returned) {
      if (!state_->hangs())
        LogWarning(options_.what, " has not answered for ", Seconds(options_.limit), " s; ",
                   options_.otherwise);
      started->overdue = true;
      state_->overdue.push_back({started, *std::move(thread)});
      return false;
    }
  }
  thread->Join();
  return true;
}

bool DiskCalls::WaitFor(const Started& started) {
  MutexLock lock(state_->mutex);
  while (!started.returned) {
    const Duration left =
        std::max(started.at, state_->last_return) + options_.limit - Clock::Real().Now();
    if (left <= Duration::zero()) return false;
    state_->changed.WaitFor(state_->mutex, left);
  }
  return true;
}

}  // namespace dl
