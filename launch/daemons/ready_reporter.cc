#include "launch/daemons/ready_reporter.h"

#include <cerrno>
#include <iostream>

#include "base/error_json.h"
#include "base/log.h"
#include "base/system_error.h"

namespace dl::launch {

Status PrintLine(const Json& line) {
  errno = 0;
  std::cout << line.dump() << std::endl;
  if (std::cout) return absl::OkStatus();
  return SystemError(errno == 0 ? EIO : errno, "write the line that says ready", "standard output");
}

void ReadyReporter::Joined() {
  MutexLock lock(mutex_);
  const bool first = !joined_;
  if (first || waiting_) LogInfo("registered with the master at ", master_);
  if (first || (waiting_ && events_ == Events::kAll)) Print("ready", Json::object());
  joined_ = true;
  waiting_ = false;
}

void ReadyReporter::Waiting(const Status& why) {
  MutexLock lock(mutex_);
  LogWarning("waiting for the master at ", master_, ": ", DescribeError(why));
  waiting_ = true;
  if (events_ != Events::kAll) return;
  Print("waiting", {{"master", master_}, {"error", ErrorToJson(why)}});
}

void ReadyReporter::Refused(const Status& why) {
  MutexLock lock(mutex_);
  Fail(why);
}

Status ReadyReporter::failure() const {
  MutexLock lock(mutex_);
  return failure_;
}

void ReadyReporter::Print(const char* type, const Json& more) {
  Json line = {{"type", type}, {"role", "executor"}};
  line.update(executor_);
  line.update(more);
  if (Status status = PrintLine(line); !status.ok()) Fail(status);
}

void ReadyReporter::Fail(const Status& why) {
  if (failure_.ok()) failure_ = why;
  stop_.Raise();
}

}  // namespace dl::launch
