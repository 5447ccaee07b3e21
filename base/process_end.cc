#include "base/process_end.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/exit_status.h"
#include "base/log_thread.h"
#include "base/machine_memory.h"
#include "base/mutex.h"
#include "base/system_error.h"
#include "base/thread_limit.h"

namespace dl {
namespace {

constexpr size_t kReserveBytes = 4 << 20;

std::atomic<EndReporter> end_reporter{nullptr};
// Memory that is reserved for the report when the process has none left.
std::atomic<std::vector<char>*> reserve{nullptr};

Status OutOfMemory() {
  const AvailableMemory memory = FindAvailableMemory();
  return ResourceExhausted(
      {.message = memory.limit.empty() ? "out of memory" : "out of memory: " + memory.limit,
       .remedy = "Give the process more memory, or reduce its work"});
}

void OnTerminate() {
  delete reserve.exchange(nullptr);
  const std::exception_ptr thrown = std::current_exception();
  // This happens when a library destroys threads without a join because it could not start another.
  if (thrown == nullptr && std::uncaught_exceptions() > 0)
    EndProcess(CannotStart(EAGAIN, "a thread"));
  if (thrown == nullptr) std::abort();
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& exception) {
    const Status status = StatusFromException(exception);
    if (!absl::IsInternal(status)) EndProcess(status);
    std::cerr << "unexpected exception: " << exception.what() << std::endl;
  } catch (...) {
    std::cerr << "unexpected exception of unknown type" << std::endl;
  }
  std::abort();
}

}  // namespace

void SetEndReporter(EndReporter reporter) { end_reporter = reporter; }

void EndProcess(const Status& status) {
  // The first report is the reason. Other threads wait here until the process ends.
  static Mutex& mutex = *new Mutex;
  MutexLock lock(mutex);
  FlushLog();
  if (const EndReporter report = end_reporter.load()) _exit(report(status));
  std::cerr << "error: " << DescribeError(status) << std::endl;
  _exit(exit_status::kTryAgain);
}

Status StatusFromException(const std::exception& exception) {
  if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr ||
      dynamic_cast<const std::length_error*>(&exception) != nullptr)
    return OutOfMemory();
  if (const auto* system = dynamic_cast<const std::system_error*>(&exception)) {
    const int error = system->code().default_error_condition().value();
    // Only std::thread throws this error.
    if (error == EAGAIN) return CannotStart(error, "a thread");
    return SystemError(error, "continue", exception.what());
  }
  return Internal({.message = absl::StrCat("unexpected exception: ", exception.what())});
}

void EndProcessOnUncaughtExceptions() {
  delete reserve.exchange(new std::vector<char>(kReserveBytes));
  std::set_terminate(OnTerminate);
}

}  // namespace dl
