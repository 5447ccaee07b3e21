// Who did what, from where, and what came of it: lines of JSON, one for each registration,
// submission, action and token, and for each caller who was denied.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>

#include "base/clock.h"
#include "base/file_descriptor.h"
#include "base/json_fwd.h"
#include "base/mutex.h"
#include "base/status.h"
#include "security/role.h"

namespace dl::security {

struct AuditEntry {
  Identity who;         // an empty owner: nobody knows
  std::string from;     // address
  std::string what;     // the method, or the action
  std::string subject;  // job, executor or token that it is about; may be empty
  std::string result;   // "ok", "denied", or the word of the error's code
};

// Thread-safe. A line that cannot be written is a warning in the log: whoever asked is not kept
// from it. Of an address that is denied without end each second has a line for the first time that
// somebody, by owner and token, was denied something, of the first few of these (kMostOfAddress);
// and one that says how often more it was denied (`repeated`), so that it does not push out the
// others'.
class AuditLog {
 public:
  // Appends to `path`; beyond limits::kMaxAuditBytes it becomes PATH.1, in place of the one before.
  static StatusOr<std::unique_ptr<AuditLog>> Open(const std::string& path,
                                                  const Clock& clock = Clock::Real());
  ~AuditLog();

  void Write(const AuditEntry& entry) DL_EXCLUDES(mutex_);

  static constexpr size_t kMostOfAddress = 16;  // denials of an address with lines of their own

 private:
  // Of an address, in the second of the last denial.
  struct Denials {
    std::set<std::tuple<std::string, std::string, std::string>> told;  // owner, token, what
    int64_t repeated = 0;
  };
  AuditLog(std::string path, const Clock& clock) : path_(std::move(path)), clock_(clock) {}
  Status OpenFile() DL_REQUIRES(mutex_);
  Status SetAside() DL_REQUIRES(mutex_);
  Status Append(const std::string& line) DL_REQUIRES(mutex_);
  void Say(const Json& line) DL_REQUIRES(mutex_);
  void SayRepeated() DL_REQUIRES(mutex_);

  const std::string path_;
  const Clock& clock_;
  Mutex mutex_;
  FileDescriptor file_ DL_GUARDED_BY(mutex_);
  int64_t bytes_ DL_GUARDED_BY(mutex_) = 0;
  // True where the denial has no line of its own, and is counted.
  bool IsRepeated(const AuditEntry& denied) DL_REQUIRES(mutex_);
  std::map<std::string, Denials> denials_ DL_GUARDED_BY(mutex_);  // by address
  int64_t second_ DL_GUARDED_BY(mutex_) = 0;
};

}  // namespace dl::security
