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
  return std::string(Utf8Prefix(entry.subject, AuditLog::kMostText));
}

Json LineOf(const AuditEntry& entry, int64_t unix_ms) {
  Json line = {{"unix_ms", unix_ms}, {"result", entry.result}};
  if (!entry.from.empty()) line["from"] = entry.from;
  if (!entry.what.empty()) line["what"] = entry.what;
  if (!entry.who.owner.empty()) {
    line["owner"] = entry.who.owner;
    line["role"] = RoleName(entry.who.role);
  }
  if (!entry.who.token.empty()) line["token"] = entry.who.token;
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
  for (const auto* sources : {&known_, &strangers_}) {
    for (const auto& [name, source] : *sources) {
      for (const auto& [kind, repeated] : source.kinds) WriteRepeated(repeated);
      WriteRepeated(source.others);
    }
  }
  WriteRepeated(other_strangers_);
  known_.clear();
  strangers_.clear();
  other_strangers_ = {};
}

AuditLog::Repeated* AuditLog::CounterOf(const AuditEntry& entry) {
  const bool is_known = !entry.who.owner.empty();
  const std::string& name = !is_known ? entry.network.empty() ? entry.from : entry.network
                            : entry.who.token.empty() ? entry.who.owner
                                                      : entry.who.token;
  auto& sources = is_known ? known_ : strangers_;
  if (!is_known && sources.size() >= kMostStrangers && !sources.contains(name)) {
    other_strangers_.first = {.result = entry.result};
    return &other_strangers_;
  }
  Source& source = sources[name];
  const Kind kind(entry.what, entry.result);
  if (const auto found = source.kinds.find(kind); found != source.kinds.end())
    return &found->second;
  if (source.kinds.size() >= kMostOfSource) {
    source.others.first = {.who = entry.who, .from = entry.from, .result = entry.result};
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
  if (!subject.empty() && subjects.size() < kMostSubjects && is_new) subjects.push_back(subject);
}

}  // namespace dl::security
