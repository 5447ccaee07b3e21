#include "base/fail_point.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <map>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/mutex.h"

namespace dl {
namespace {

enum class Action { kKill, kAbort, kError, kStop, kHang };

struct Armed {
  Action action = Action::kError;
  int64_t at = 1;           // acts if hits == at ...
  bool ever_after = false;  // ... or later
  std::string once_file;    // acts only if this file does not exist; empty: always
  int64_t hits = 0;
};

using ArmedPoints = std::map<std::string, Armed, std::less<>>;

StatusOr<Armed> ParseAction(std::string_view text) {
  Armed armed;
  if (const size_t path = text.find('/'); path != std::string_view::npos) {
    armed.once_file = text.substr(path);
    text = text.substr(0, path);
  }
  std::pair<std::string, std::string> parts =
      absl::StrSplit(std::string(text), absl::MaxSplits('@', 1));
  if (parts.first == "kill") {
    armed.action = Action::kKill;
  } else if (parts.first == "abort") {
    armed.action = Action::kAbort;
  } else if (parts.first == "stop") {
    armed.action = Action::kStop;
  } else if (parts.first == "hang") {
    armed.action = Action::kHang;
  } else if (parts.first != "error") {
    return InvalidArgument(
        {.message = absl::StrCat("\"", parts.first, "\" is not kill, abort, stop, hang or error")});
  }
  if (text.find('@') == std::string_view::npos) return armed;
  if (parts.second.ends_with('+')) {
    armed.ever_after = true;
    parts.second.pop_back();
  }
  if (!absl::SimpleAtoi(parts.second, &armed.at) || armed.at < 1) {
    return InvalidArgument(
        {.message = absl::StrCat("\"@", parts.second, "\" is not a count of at least 1")});
  }
  return armed;
}

StatusOr<ArmedPoints> ParseList(std::string_view list) {
  ArmedPoints points;
  for (absl::string_view item :
       absl::StrSplit(absl::string_view(list.data(), list.size()), ';', absl::SkipEmpty())) {
    std::pair<std::string, std::string> parts = absl::StrSplit(item, absl::MaxSplits('=', 1));
    StatusOr<Armed> armed = ParseAction(parts.second);
    if (parts.first.empty() || !armed.ok()) {
      return WithContext(
          armed.ok() ? InvalidArgument({.message = "a fail point has no name"}) : armed.status(),
          absl::StrCat("fail point \"", item, "\""));
    }
    points[parts.first] = *armed;
  }
  return points;
}

// Creates the file. Returns true only if the file exists already: if it cannot be created for
// another reason, the point still acts.
bool FileExistedBefore(const std::string& once_file) {
  const int file = open(once_file.c_str(), O_CREAT | O_EXCL | O_CLOEXEC | O_WRONLY, 0600);
  if (file < 0) return errno == EEXIST;
  close(file);
  return false;
}

struct Registry {
  Mutex mutex;
  StatusOr<ArmedPoints> points DL_GUARDED_BY(mutex);
};

Registry& TheRegistry() {
  static Registry* const registry = [] {
    auto made = new Registry;  // never destroyed: threads may pass points during exit
    const char* list = std::getenv("DL_FAIL_POINTS");
    MutexLock lock(made->mutex);
    made->points = ParseList(list == nullptr ? "" : list);
    return made;
  }();
  return *registry;
}

}  // namespace

namespace internal {

std::atomic<bool> fail_points_armed{std::getenv("DL_FAIL_POINTS") != nullptr};

Status HitFailPoint(std::string_view name) {
  Registry& registry = TheRegistry();
  Armed armed;
  {
    MutexLock lock(registry.mutex);
    DL_RETURN_IF_ERROR(registry.points.status());
    auto found = registry.points->find(name);
    if (found == registry.points->end()) return absl::OkStatus();
    ++found->second.hits;
    armed = found->second;
  }
  if (armed.hits != armed.at && !(armed.ever_after && armed.hits > armed.at))
    return absl::OkStatus();
  if (!armed.once_file.empty() && FileExistedBefore(armed.once_file)) return absl::OkStatus();
  switch (armed.action) {
    case Action::kKill:
      kill(getpid(), SIGKILL);
      break;
    case Action::kAbort:
      std::abort();
    case Action::kStop:
      raise(SIGSTOP);
      return absl::OkStatus();
    case Action::kHang:
      for (;;) pause();
    case Action::kError:
      break;
  }
  return Internal({.message = "this fail point was set to fail",
                   .where = std::string(name),
                   .remedy = "Unset the environment variable DL_FAIL_POINTS"});
}

}  // namespace internal

Status ArmFailPoints(std::string_view list) {
  Registry& registry = TheRegistry();
  MutexLock lock(registry.mutex);
  registry.points = ParseList(list);
  internal::fail_points_armed.store(!list.empty(), std::memory_order_relaxed);
  return registry.points.status();
}

int64_t FailPointHits(std::string_view name) {
  Registry& registry = TheRegistry();
  MutexLock lock(registry.mutex);
  if (!registry.points.ok()) return 0;
  auto found = registry.points->find(name);
  return found == registry.points->end() ? 0 : found->second.hits;
}

}  // namespace dl
