#include "security/audit_log.h"

#include <algorithm>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/log.h"
#include "base/utf8.h"

namespace dl::security {
namespace {

std::string Subject(const AuditEntry& entry) {
  return std::string(Utf8Prefix(entry.subject, AuditLog::kMaxSubjectBytes));
}

Json LineOf(const AuditEntry& entry, int64_t unix_ms) {
  Json line = {{"unix_ms", unix_ms}, {"result", entry.result}};
  if (!entry.address.empty()) line["from"] = entry.address;
  if (!entry.action.empty()) line["what"] = entry.action;
  if (!entry.caller.owner.empty()) {
    line["owner"] = entry.caller.owner;
    line["role"] = RoleName(entry.caller.role);
  }
  if (!entry.caller.token.empty()) line["token"] = entry.caller.token;
  return line;
}

}  // namespace

std::string AuditLog::AdminPath(const std::string& path) {
  return (std::filesystem::path(path).parent_path() / "admin.log").string();
}

StatusOr<std::unique_ptr<AuditLog>> AuditLog::Open(const std::string& path, const Clock& clock) {
  std::unique_ptr<AuditLog> log(new AuditLog(path, clock));
  MutexLock lock(log->mutex_);
  DL_RETURN_IF_ERROR(log->file_.Open());
  DL_RETURN_IF_ERROR(log->admin_file_.Open());
  return log;
}

AuditLog::~AuditLog() {
  MutexLock lock(mutex_);
  WriteRepeated();
}

void AuditLog::WriteLine(AuditFile& file, const Json& line) {
  if (Status written = file.Append(JsonText(line) + "\n"); !written.ok())
    LogWarning("audit: ", DescribeError(written));
}

void AuditLog::WriteRepeated(const Repeated& repeated) {
  if (repeated.count == 0) return;
  Json line = LineOf(repeated.first, second_ * 1000 + 999);
  line["repeated"] = repeated.count;
  if (!repeated.subjects.empty()) line["subjects"] = repeated.subjects;
  WriteLine(file_, line);
}

void AuditLog::WriteRepeated() {
  for (const auto* sources : {&known_callers_, &unknown_callers_}) {
    for (const auto& [name, source] : *sources) {
      for (const auto& [kind, repeated] : source.kinds) WriteRepeated(repeated);
      WriteRepeated(source.others);
    }
  }
  WriteRepeated(other_unknown_callers_);
  known_callers_.clear();
  unknown_callers_.clear();
  other_unknown_callers_ = {};
}

AuditLog::Repeated* AuditLog::CounterOf(const AuditEntry& entry) {
  const bool is_known = !entry.caller.owner.empty();
  const std::string& name = !is_known ? entry.network.empty() ? entry.address : entry.network
                            : entry.caller.token.empty() ? entry.caller.owner
                                                         : entry.caller.token;
  auto& sources = is_known ? known_callers_ : unknown_callers_;
  if (!is_known && sources.size() >= kMaxUnknownNetworks && !sources.contains(name)) {
    other_unknown_callers_.first = {.result = entry.result};
    return &other_unknown_callers_;
  }
  Source& source = sources[name];
  const Kind kind(entry.action, entry.result);
  if (const auto found = source.kinds.find(kind); found != source.kinds.end())
    return &found->second;
  if (source.kinds.size() >= kMaxKindsPerSource) {
    source.others.first = {
        .caller = entry.caller, .address = entry.address, .result = entry.result};
    return &source.others;
  }
  source.kinds[kind].first = entry;
  return nullptr;
}

void AuditLog::Write(const AuditEntry& entry) {
  const int64_t now = clock_.WallUnixMs();
  Json line = LineOf(entry, now);
  const std::string subject = Subject(entry);
  if (!subject.empty()) line["subject"] = subject;
  MutexLock lock(mutex_);
  if (now / 1000 != second_) WriteRepeated();
  second_ = now / 1000;
  if (entry.administrative) return WriteLine(admin_file_, line);
  Repeated* const counter = CounterOf(entry);
  if (counter == nullptr) return WriteLine(file_, line);
  ++counter->count;
  auto& subjects = counter->subjects;
  const bool is_new = std::ranges::find(subjects, subject) == subjects.end();
  if (!subject.empty() && subjects.size() < kMaxSubjects && is_new) subjects.push_back(subject);
}

}  // namespace dl::security
