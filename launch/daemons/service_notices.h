// Notifies the service manager that started a daemon, such as systemd: that the daemon is ready,
// that it works, and that it stops. Uses datagrams of sd_notify(3), which is a stable interface.
// Does nothing if NOTIFY_SOCKET is not in the environment.
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

  // Reports that the daemon is ready. `status` is one line that systemctl shows.
  void Ready(const std::string& status) const;
  // Reports that the daemon works, as the watchdog of the service manager requires.
  void Works() const;
  // Reports that the daemon has begun to stop.
  void Stopping() const;

 private:
  void Send(const std::string& lines) const;

  const std::string socket_;
};

// Sends ServiceNotices::Works at the interval that WATCHDOG_USEC requires, if `works` returns true.
// `works` is called on a thread of its own. While a call hangs, no notice is sent.
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
