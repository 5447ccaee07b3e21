// The record of what callers did: lines of JSON for registrations, submissions, actions, downloads
// of models, tokens, and denied calls.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/json_fwd.h"
#include "base/mutex.h"
#include "base/status.h"
#include "security/audit_file.h"
#include "security/role.h"

namespace dl::security {

struct AuditEntry {
  Identity who;         // an empty owner: unknown
  std::string from;     // address
  std::string network;  // that denials of unknown callers are counted by; empty: the address
  std::string what;     // the method, or the action
  std::string subject;  // job, executor or token that it is about; may be empty
  std::string result;   // "ok", "denied", or the word of the error's code
  // Something that only admins may do, and that an admin did.
  bool administrative = false;
};

// Writes administrative lines to a file of their own (AdminPath), each by itself. In the other file
// a source has a bounded number of lines each second, so that no caller pushes out the lines of
// others. A source is a token, the owner of a certificate, or the network of an unknown caller.
// Each method and result of a source has one line for its first call in a second, and one for all
// others of that second (`repeated`, and the first few `subjects`). Beyond kMostOfSource methods
// and results, and beyond kMostStrangers networks of unknown callers, calls are only counted.
// A line that cannot be written is a warning in the log; the caller is not kept from its call.
// Thread-safe.
class AuditLog {
 public:
  // Both files are bounded as AuditFile says.
  static StatusOr<std::unique_ptr<AuditLog>> Open(const std::string& path,
                                                  const Clock& clock = Clock::Real());
  ~AuditLog();

  void Write(const AuditEntry& entry) DL_EXCLUDES(mutex_);

  // "admin.log" in the folder of `path`.
  static std::string AdminPath(const std::string& path);

  static constexpr size_t kMostOfSource = 8;
  static constexpr size_t kMostStrangers = 16;
  static constexpr size_t kMostSubjects = 4;
  static constexpr size_t kMostText = 128;  // bytes of a subject

 private:
  // Calls of one kind in the present second, after the first one.
  struct Repeated {
    AuditEntry first;
    int64_t count = 0;
    std::vector<std::string> subjects;
  };
  using Kind = std::pair<std::string, std::string>;  // what, result
  struct Source {
    std::map<Kind, Repeated> kinds;
    Repeated others;  // of further kinds
  };

  AuditLog(const std::string& path, const Clock& clock)
      : file_(path), admin_file_(AdminPath(path)), clock_(clock) {}
  void Say(AuditFile& file, const Json& line) DL_REQUIRES(mutex_);
  void SayRepeated() DL_REQUIRES(mutex_);
  void SayRepeated(const Repeated& repeated) DL_REQUIRES(mutex_);
  // Null: the entry is the first of its kind, and has a line. Else where it is counted.
  Repeated* CounterOf(const AuditEntry& entry) DL_REQUIRES(mutex_);

  Mutex mutex_;
  AuditFile file_ DL_GUARDED_BY(mutex_), admin_file_ DL_GUARDED_BY(mutex_);
  const Clock& clock_;
  int64_t second_ DL_GUARDED_BY(mutex_) = 0;
  std::map<std::string, Source> known_ DL_GUARDED_BY(mutex_);      // by token or owner
  std::map<std::string, Source> strangers_ DL_GUARDED_BY(mutex_);  // by network
  Repeated other_strangers_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::security
