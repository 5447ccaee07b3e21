#include "launch/daemons/folder_fence.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/json.h"
#include "base/system_error.h"
#include "base/unique.h"
#include "launch/pause.h"

namespace dl::launch {
namespace {

// Size of every mark. Because it never grows, a full disk has space to rewrite it.
constexpr size_t kMarkBytes = 512;

std::string FileOf(const std::string& data_dir) { return data_dir + "/fence"; }

Status TakenBy(const std::string& data_dir, const std::string& host) {
  return FailedPrecondition(
      {.message = absl::StrCat("the data folder is in use on ", host,
                               ", but its lock is not visible here"),
       .where = FileOf(data_dir),
       .remedy = "Stop the master there, or use another --data-dir. Locks of this file system are "
                 "not visible between machines: keep masters on a local disk, or mount it with "
                 "locks"});
}

}  // namespace

std::optional<FenceMark> ReadFence(const std::string& data_dir) {
  const auto text = ReadFile(FileOf(data_dir), kMarkBytes);
  const auto json = text.ok() ? ParseJson(*text, "fence") : StatusOr<Json>(text.status());
  if (!json.ok() || !json->is_object()) return std::nullopt;
  const auto host = json->find("host"), token = json->find("token"), beat = json->find("beat");
  if (host == json->end() || !host->is_string() || token == json->end() || !token->is_string() ||
      beat == json->end() || !beat->is_number_integer())
    return std::nullopt;
  return FenceMark{host->get<std::string>(), token->get<std::string>(), beat->get<int64_t>()};
}

std::optional<std::string> FindActiveHost(const std::string& data_dir, const std::string& this_host,
                                          Duration timeout) {
  const std::optional<FenceMark> first = ReadFence(data_dir);
  if (!first || first->host == this_host) return std::nullopt;
  const Instant end = Clock::Real().Now() + timeout;
  while (Clock::Real().Now() < end) {
    Pause(std::min<Duration>(timeout / 16, std::chrono::milliseconds(200)));
    const std::optional<FenceMark> now = ReadFence(data_dir);
    if (now && *now != *first) return now->host;
  }
  return std::nullopt;
}

StatusOr<std::unique_ptr<FolderFence>> FolderFence::Take(Options options) {
  if (const auto host = FindActiveHost(options.data_dir, options.host, options.silence))
    return TakenBy(options.data_dir, *host);
  DL_ASSIGN_OR_RETURN(const uint64_t token, UniqueNumber());
  FenceMark mark{.host = options.host, .token = absl::StrCat(token)};
  std::unique_ptr<FolderFence> fence(new FolderFence(std::move(options), std::move(mark)));
  // On a full disk no mark can be written. The next beat tries again, and commands that write
  // report the full disk themselves.
  const Status marked = fence->WriteHeartbeat();
  if (!marked.ok() && !absl::IsResourceExhausted(marked)) return marked;
  fence->thread_ = Thread("fence", [self = fence.get()] { self->Run(); });
  return fence;
}

FolderFence::~FolderFence() {
  {
    MutexLock lock(mutex_);
    stop_ = true;
    stopped_.NotifyAll();
  }
  thread_.Join();
  std::error_code error;
  if (Check().ok()) std::filesystem::remove(FileOf(options_.data_dir), error);
}

Status FolderFence::Check() const {
  const std::optional<FenceMark> now = ReadFence(options_.data_dir);
  if (!now || now->token == mark_.token) return absl::OkStatus();
  return TakenBy(options_.data_dir, now->host);
}

Status FolderFence::WriteHeartbeat() {
  ++mark_.beat;
  const std::string file = FileOf(options_.data_dir);
  std::string text = JsonText({{"host", mark_.host}, {"token", mark_.token}, {"beat", mark_.beat}});
  text.resize(kMarkBytes - 1, ' ');
  text += '\n';
  // The file is opened for each beat, because on network file systems other machines see changes
  // only after it was closed.
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return SystemError(errno, "open", file);
  const bool written = pwrite(fd, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
  const int error = errno;
  if (close(fd) != 0 && written) return SystemError(errno, "write", file);
  return written ? absl::OkStatus() : SystemError(error, "write", file);
}

void FolderFence::Run() {
  for (;;) {
    {
      const Instant next = Clock::Real().Now() + options_.beat;
      MutexLock lock(mutex_);
      while (!stop_ && Clock::Real().Now() < next)
        stopped_.WaitFor(mutex_, next - Clock::Real().Now());
      if (stop_) return;
    }
    if (const Status lost = Check(); !lost.ok()) {
      options_.on_lost(lost);
      return;
    }
    (void)WriteHeartbeat();  // errors are ignored, because the next beat tries again
  }
}

}  // namespace dl::launch
