// Notifies the service manager that started a daemon, such as systemd: that the daemon is ready,
// that it works, and that it stops. Uses datagrams of sd_notify(3), which is a stable interface.
// Does nothing if NOTIFY_SOCKET is not in the environment.
#pragma once

#include <functional>
#include <string>

#include "base/clock.h"
#include "base/interruptible_pause.h"
#include "base/thread.h"

namespace dl::launch {

// Thread-safe.
class ServiceNotices {
 public:
  ServiceNotices();

  // Reports that the daemon is ready. `status` is one line that systemctl shows.
  void Ready(const std::string& status) const;
  // Reports one line that systemctl shows from now on.
  void ShowStatus(const std::string& line) const;
  // Whether a service manager receives notices.
  bool has_receiver() const { return !socket_.empty(); }
  // Reports that the daemon works, as the watchdog of the service manager requires.
  void Works() const;
  // Reports that the daemon has begun to stop.
  void Stopping() const;

 private:
  void Send(const std::string& lines) const;

  const std::string socket_;
};

// Sends ServiceNotices::Works three times in the period that WATCHDOG_USEC states, if `works`
// returns true. Does nothing without WATCHDOG_USEC. `works` is called on a thread of its own. While
// a call hangs, no notice is sent, and the destructor waits.
class ServiceWatchdog {
 public:
  explicit ServiceWatchdog(std::function<bool()> works);
  ~ServiceWatchdog();

 private:
  void Run();

  const std::function<bool()> works_;
  InterruptiblePause pause_;
  Duration interval_{};
  Thread thread_;
};

// Sends ServiceNotices::ShowStatus when the line that `status` returns has changed, at most every
// five seconds. Does nothing without a service manager. `status` is called on a thread of its own;
// while a call hangs, the destructor waits. An empty line is not sent.
class ServiceStatus {
 public:
  explicit ServiceStatus(std::function<std::string()> status,
                         Duration interval = std::chrono::seconds(5));
  ~ServiceStatus();

 private:
  void Run();

  const std::function<std::string()> status_;
  const Duration interval_;
  InterruptiblePause pause_;
  Thread thread_;
};

}  // namespace dl::launch
