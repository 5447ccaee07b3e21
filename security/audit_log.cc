#include "security/audit_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/system_error.h"

namespace dl::security {
namespace {

constexpr char kDenied[] = "denied";
constexpr size_t kMostAddresses = 1024;  // whose denials are counted at a time

}  // namespace

StatusOr<std::unique_ptr<AuditLog>> AuditLog::Open(const std::string& path, const Clock& clock) {
  std::unique_ptr<AuditLog> log(new AuditLog(path, clock));
  MutexLock lock(log->mutex_);
  DL_RETURN_IF_ERROR(log->OpenFile());
  return log;
}

AuditLog::~AuditLog() {
  MutexLock lock(mutex_);
  SayRepeated();
}

Status AuditLog::OpenFile() {
  FileDescriptor file(open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
  struct stat there = {};
  if (!file.valid() || fstat(file.get(), &there) != 0)
    return SystemError(errno, "open the audit log", path_);
  file_ = std::move(file);
  bytes_ = there.st_size;
  return absl::OkStatus();
}

// The old file goes on to be written to until there is another one.
Status AuditLog::SetAside() {
  if (rename(path_.c_str(), (path_ + ".1").c_str()) != 0 && errno != ENOENT)
    return SystemError(errno, "set the full audit log aside", path_);
  return OpenFile();
}

Status AuditLog::Append(const std::string& line) {
  Status aside;
  if (bytes_ + static_cast<int64_t>(line.size()) > limits::kMaxAuditBytes) aside = SetAside();
  // One call: lines of two never mix, and a process that is killed leaves whole ones.
  const ssize_t written = write(file_.get(), line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size())) {
    bytes_ += written;
    return aside;
  }
  const int error = written < 0 ? errno : ENOSPC;
  // What is there of a line that was cut would spoil the next one.
  if (written > 0 && ftruncate(file_.get(), bytes_) != 0) bytes_ += written;
  return SystemError(error, "write the audit log", path_);
}

void AuditLog::Say(const Json& line) {
  if (Status written = Append(JsonText(line) + "\n"); !written.ok())
    LogWarning("audit: ", DescribeError(written));
}

void AuditLog::SayRepeated() {
  for (const auto& [from, denials] : denials_) {
    if (denials.repeated == 0) continue;
    Say({{"unix_ms", second_ * 1000 + 999},
         {"owner", ""},
         {"from", from},
         {"result", kDenied},
         {"repeated", denials.repeated}});
  }
  denials_.clear();
}

bool AuditLog::IsRepeated(const AuditEntry& denied) {
  // Beyond so many addresses in a second each has its lines.
  if (denials_.size() >= kMostAddresses && !denials_.contains(denied.from)) return false;
  Denials& denials = denials_[denied.from];
  const bool has_line =
      denials.told.size() < kMostOfAddress &&
      denials.told.emplace(denied.who.owner, denied.who.token, denied.what).second;
  if (!has_line) ++denials.repeated;
  return !has_line;
}

void AuditLog::Write(const AuditEntry& entry) {
  const int64_t now = clock_.WallUnixMs();
  Json line = {{"unix_ms", now},
               {"owner", entry.who.owner},
               {"from", entry.from},
               {"what", entry.what},
               {"result", entry.result}};
  if (!entry.who.owner.empty()) line["role"] = RoleName(entry.who.role);
  if (!entry.who.token.empty()) line["token"] = entry.who.token;
  if (!entry.subject.empty()) line["subject"] = entry.subject;
  MutexLock lock(mutex_);
  if (now / 1000 != second_) SayRepeated();
  second_ = now / 1000;
  if (entry.result == kDenied && IsRepeated(entry)) return;
  Say(line);
}

}  // namespace dl::security
