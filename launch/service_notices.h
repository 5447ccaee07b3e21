// What a daemon tells the service manager that started it, systemd above all: that it is ready,
// that it ends, and, as long as it works, that it does. By the datagrams of sd_notify(3), which
// says that they are a stable interface; without NOTIFY_SOCKET in the environment nobody is told.
#pragma once

#include <functional>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/thread.h"

namespace dl::launch {

// Thread-safe.
class ServiceNotices {
 public:
  ServiceNotices();

  // `status` is what systemctl shows; one line.
  void Ready(const std::string& status) const;
  void Works() const;
  void Stopping() const;

 private:
  void Send(const std::string& lines) const;

  const std::string socket_;
};

// While it lives, and as often as WATCHDOG_USEC asks for: tells that the daemon works, if `works`
// says so. It is called on a thread of its own, and a call that hangs tells nothing.
class ServiceWatchdog {
 public:
  explicit ServiceWatchdog(std::function<bool()> works);
  ~ServiceWatchdog();

 private:
  void Run();

  const std::function<bool()> works_;
  Mutex mutex_;
  CondVar changed_;
  bool ends_ DL_GUARDED_BY(mutex_) = false;
  Duration interval_{};
  Thread thread_;
};

}  // namespace dl::launch
