#include "launch/daemons/service_notices.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"
#include "base/log.h"

namespace dl::launch {
namespace {

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Returns the interval within which systemd expects a notice. Zero: never, or from another process.
Duration WatchdogTime() {
  int64_t microseconds = 0, pid = 0;
  if (!absl::SimpleAtoi(Environment("WATCHDOG_USEC"), &microseconds) || microseconds <= 0)
    return Duration::zero();
  if (absl::SimpleAtoi(Environment("WATCHDOG_PID"), &pid) && pid != getpid())
    return Duration::zero();
  return std::chrono::microseconds(microseconds);
}

}  // namespace

ServiceNotices::ServiceNotices() : socket_(Environment("NOTIFY_SOCKET")) {}

void ServiceNotices::Send(const std::string& lines) const {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (socket_.size() < 2 || socket_.size() > sizeof(address.sun_path)) return;
  if (socket_.front() != '/' && socket_.front() != '@') return;
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (socket_.front() == '@') address.sun_path[0] = '\0';  // abstract socket, a name without a file
  const FileDescriptor sender(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  if (!sender.valid() || sendto(sender.get(), lines.data(), lines.size(), MSG_NOSIGNAL,
                                reinterpret_cast<const sockaddr*>(&address), length) < 0) {
    LogWarning("cannot notify the service manager at ", socket_, ": ", std::strerror(errno));
  }
}

void ServiceNotices::Ready(const std::string& status) const {
  Send(absl::StrCat("READY=1\nSTATUS=", status, "\n"));
}

void ServiceNotices::ShowStatus(const std::string& line) const {
  Send(absl::StrCat("STATUS=", line, "\n"));
}

void ServiceNotices::Works() const { Send("WATCHDOG=1\n"); }

void ServiceNotices::Stopping() const { Send("STOPPING=1\n"); }

ServiceWatchdog::ServiceWatchdog(std::function<bool()> works)
    : works_(std::move(works)), interval_(WatchdogTime() / 3) {
  if (interval_ > Duration::zero()) thread_ = Thread("watchdog", [this] { Run(); });
}

ServiceWatchdog::~ServiceWatchdog() {
  pause_.End();
  thread_.Join();
}

void ServiceWatchdog::Run() {
  const ServiceNotices notices;
  do {
    if (works_()) notices.Works();
  } while (pause_.Wait(interval_));
}

ServiceStatus::ServiceStatus(std::function<std::string()> status, Duration interval)
    : status_(std::move(status)), interval_(interval) {
  if (ServiceNotices().has_receiver()) thread_ = Thread("service-status", [this] { Run(); });
}

ServiceStatus::~ServiceStatus() {
  pause_.End();
  thread_.Join();
}

void ServiceStatus::Run() {
  const ServiceNotices notices;
  std::string sent;
  while (pause_.Wait(interval_)) {
    std::string line = status_();
    if (line.empty() || line == sent) continue;
    notices.ShowStatus(line);
    sent = std::move(line);
  }
}

}  // namespace dl::launch
