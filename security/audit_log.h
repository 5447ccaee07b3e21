// The record of what callers did, as lines of JSON: registrations, submissions, actions, drains,
// downloads of checkpoints, changes of tokens, and denied calls.
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
  Identity caller;      // the caller; an empty owner means unknown
  std::string address;  // address of the caller
  std::string network;  // groups the denied calls of unknown callers; empty: the address is used
  std::string action;   // the method or the action
  std::string subject;  // the job, executor or token concerned; may be empty
  std::string result;   // "ok", "denied", or the name of the error's code
  // An admin drained executors, changed tokens or acted on a job (rpc/call_audit.h).
  bool administrative = false;
};

// Writes administrative lines to a file of their own (AdminPath), one line per call.
//
// In the other file, the number of lines per source and second is bounded, so that no caller can
// quickly displace the lines of others. A source is a token, the owner of a certificate, or the
// network of an unknown caller. For each method and result, the first call of a source in a second
// has a line. Its other calls in that second share a line with their number (`repeated`) and the
// first kMaxSubjects `subjects`. The first Write after that second writes this line, or the
// destructor. A source has at most kMaxKindsPerSource pairs of method and result in a second, and
// unknown callers have at most kMaxUnknownNetworks networks; further calls are only counted in a
// line of their own.
//
// If a line cannot be written, a warning is logged and the call proceeds. Thread-safe.
class AuditLog {
 public:
  // Opens both files, each with the bounded size of an AuditFile. Returns errors of the file
  // system. `clock` must outlive the log.
  static StatusOr<std::unique_ptr<AuditLog>> Open(const std::string& path,
                                                  const Clock& clock = Clock::Real());
  ~AuditLog();

  // Records a call: writes its line, or counts it.
  void Write(const AuditEntry& entry) DL_EXCLUDES(mutex_);

  // Returns "admin.log" in the folder of `path`.
  static std::string AdminPath(const std::string& path);

  static constexpr size_t kMaxKindsPerSource = 8;
  static constexpr size_t kMaxUnknownNetworks = 16;
  static constexpr size_t kMaxSubjects = 4;
  static constexpr size_t kMaxSubjectBytes = 128;  // maximum length of a subject in bytes

 private:
  // The calls of one kind in the current second, after the first one.
  struct Repeated {
    AuditEntry first;
    int64_t count = 0;
    std::vector<std::string> subjects;
  };
  using Kind = std::pair<std::string, std::string>;  // action, result
  struct Source {
    std::map<Kind, Repeated> kinds;
    Repeated others;  // calls of other kinds
  };

  AuditLog(const std::string& path, const Clock& clock)
      : file_(path), admin_file_(AdminPath(path)), clock_(clock) {}
  void WriteLine(AuditFile& file, const Json& line) DL_REQUIRES(mutex_);
  void WriteRepeated() DL_REQUIRES(mutex_);
  void WriteRepeated(const Repeated& repeated) DL_REQUIRES(mutex_);
  // Returns null if the entry is the first of its kind and has a line of its own. Otherwise returns
  // the counter for it.
  Repeated* CounterOf(const AuditEntry& entry) DL_REQUIRES(mutex_);

  Mutex mutex_;
  AuditFile file_ DL_GUARDED_BY(mutex_), admin_file_ DL_GUARDED_BY(mutex_);
  const Clock& clock_;
  int64_t second_ DL_GUARDED_BY(mutex_) = 0;
  std::map<std::string, Source> known_callers_ DL_GUARDED_BY(mutex_);    // by token or owner
  std::map<std::string, Source> unknown_callers_ DL_GUARDED_BY(mutex_);  // by network
  Repeated other_unknown_callers_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::security
