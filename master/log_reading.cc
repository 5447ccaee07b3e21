#include "master/log_reading.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "master/core/record_keys.h"
#include "master/core/records/log_record.h"
#include "master/stored.h"

namespace dl::master {
namespace {

std::string NameOf(const std::string& job, int64_t place) {
  return absl::StrCat("job ", job, ", record ", place, " of its round log");
}

StatusOr<LogRecord> ParseRecord(const std::string& text, const std::string& where, int64_t place) {
  DL_ASSIGN_OR_RETURN(const Json json, ParseStored(text, where));
  DL_ASSIGN_OR_RETURN(LogRecord record, LogRecordFromJson(json, where));
  record.place = place;
  return record;
}

struct StoredRecord {
  LogRecord record;
  std::string sha256;
};
StatusOr<StoredRecord> ReadRecord(storage::MetaStore& store, const std::string& job,
                                  int64_t place) {
  const std::string where = NameOf(job, place);
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> text,
                      store.Get(keys::LogRecord(job, place)));
  if (!text) return Damaged("a record of the round log is missing", where);
  StoredRecord stored{.sha256 = Sha256Hex(*text)};
  DL_ASSIGN_OR_RETURN(stored.record, ParseRecord(*text, where, place));
  return stored;
}

Status BrokenChain(const std::string& where) {
  return Damaged(
      "the chain of the round log is broken: this record does not follow from the one before it",
      where);
}

// Returns the records that the head names, or nullopt if it does not name them.
StatusOr<std::optional<JobLog>> LoadByHead(storage::MetaStore& store, const std::string& job) {
  const std::string key = keys::LogHead(job);
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> text, store.Get(key));
  if (!text) return std::nullopt;
  DL_ASSIGN_OR_RETURN(const Json json, ParseStored(*text, key));
  JobLog log;
  DL_ASSIGN_OR_RETURN(log.head, LogHeadFromJson(json, key));
  if (log.head.commit == LogHead::kUnknown || log.head.evaluation == LogHead::kUnknown)
    return std::nullopt;
  for (const int64_t place : {log.head.commit, log.head.evaluation}) {
    if (place == LogHead::kNone) continue;
    DL_ASSIGN_OR_RETURN(StoredRecord stored, ReadRecord(store, job, place));
    const bool commit = place == log.head.commit;
    const bool is_commit =
        stored.record.type == RecordType::kStart || stored.record.type == RecordType::kCommit;
    const bool fits = commit ? is_commit : stored.record.type == RecordType::kEvaluation;
    const bool last = place == log.head.length - 1;
    if (!fits || (last && stored.sha256 != log.head.last_sha256))
      return BrokenChain(NameOf(job, place));
    log.records.push_back(std::move(stored.record));
  }
  return log;
}

// The commits and evaluations that count, updated with each record in order.
struct Counting {
  struct Entry {
    int64_t round = 0;
    int64_t place = 0;
  };
  std::vector<Entry> commits, evaluations;

  void Take(const LogRecord& record) {
    const auto forget = [](std::vector<Entry>& entries, int64_t last) {
      while (!entries.empty() && entries.back().round > last) entries.pop_back();
    };
    switch (record.type) {
      case RecordType::kStart:
      case RecordType::kCommit:
        // The range may begin with records that a rollback revoked.
        if (!commits.empty() && commits.back().round != record.round - 1) commits.clear();
        commits.push_back({record.round, record.place});
        break;
      case RecordType::kEvaluation:
        evaluations.push_back({record.round, record.place});
        break;
      case RecordType::kRebind:
        break;
      case RecordType::kRollback:
        forget(commits, record.round);
        forget(evaluations, record.round);
        break;
    }
  }
};

StatusOr<Counting> ReadOn(storage::MetaStore& store, const SurveyLog& asked, int64_t from) {
  Counting counting;
  std::string previous;
  for (int64_t place = from; place < asked.length; ++place) {
    DL_ASSIGN_OR_RETURN(const StoredRecord stored, ReadRecord(store, asked.job, place));
    if (place > from && stored.record.previous != previous)
      return BrokenChain(NameOf(asked.job, place));
    previous = stored.sha256;
    counting.Take(stored.record);
  }
  if (previous != asked.last_sha256) return BrokenChain(NameOf(asked.job, asked.length - 1));
  return counting;
}

StatusOr<LogStretch> StretchOf(storage::MetaStore& store, const SurveyLog& asked) {
  // Read some earlier records as well, if possible, because late results of the round before may
  // still arrive and are compared.
  const int64_t from = std::max<int64_t>(0, asked.place - asked.commits_kept);
  StatusOr<Counting> read = ReadOn(store, asked, from);
  if (absl::IsDataLoss(read.status()) && from < asked.place)
    read = ReadOn(store, asked, asked.place);
  DL_ASSIGN_OR_RETURN(const Counting counting, std::move(read));
  LogStretch stretch;
  if (counting.commits.empty() || counting.commits.front().round > asked.round ||
      counting.commits.back().round < asked.round) {
    return Damaged(absl::StrCat("the round log does not hold round ", asked.round),
                   NameOf(asked.job, asked.place));
  }
  stretch.first_round = counting.commits.front().round;
  const int64_t last = counting.commits.back().round;
  for (const auto& [round, place] : counting.commits) {
    stretch.places.push_back(place);
    const bool next = round >= asked.round - 1 && round < asked.round + asked.commits_kept;
    if (!next && round <= last - asked.commits_kept) continue;
    DL_ASSIGN_OR_RETURN(StoredRecord stored, ReadRecord(store, asked.job, place));
    stretch.commits.push_back(std::move(stored.record));
  }
  for (const auto& entry : counting.evaluations) {
    const bool wanted = entry.place == counting.evaluations.back().place ||
                        asked.evaluations_of.contains(entry.round);
    if (!wanted) continue;
    DL_ASSIGN_OR_RETURN(StoredRecord stored, ReadRecord(store, asked.job, entry.place));
    stretch.evaluations.push_back(std::move(stored.record));
  }
  return stretch;
}

}  // namespace

StatusOr<JobLog> LoadWholeLog(storage::MetaStore& store, const std::string& id) {
  JobLog log{.whole = true};
  DL_ASSIGN_OR_RETURN(const auto entries, ReadAll(store, keys::LogPrefix(id)));
  for (const auto& [key, text] : entries) {
    const std::string where = NameOf(id, log.head.length);
    if (key != keys::LogRecord(id, log.head.length))
      return Damaged("a record of the round log is missing", where);
    DL_ASSIGN_OR_RETURN(LogRecord record, ParseRecord(text, where, log.head.length));
    if (record.previous != log.head.last_sha256) return BrokenChain(where);
    (void)log.head.Append(record, Sha256Hex(text));
    record.test.DropFigures();  // once per epoch; the store has them
    log.records.push_back(std::move(record));
  }
  DL_RETURN_IF_ERROR(CheckLog(log.records, id));
  return log;
}

StatusOr<JobLog> LoadLog(storage::MetaStore& store, const std::string& id) {
  DL_ASSIGN_OR_RETURN(std::optional<JobLog> log, LoadByHead(store, id));
  if (log) return *std::move(log);
  return LoadWholeLog(store, id);
}

LogSurveyed Survey(storage::MetaStore& store, const SurveyLog& asked) {
  LogSurveyed answer{.job = asked.job, .number = asked.number};
  StatusOr<LogStretch> stretch = StretchOf(store, asked);
  answer.status = stretch.status();
  if (stretch.ok()) answer.stretch = *std::move(stretch);
  return answer;
}

CommitsRead Read(storage::MetaStore& store, const ReadCommits& asked) {
  CommitsRead answer{.job = asked.job, .number = asked.number};
  int64_t round = asked.first_round;
  for (const int64_t place : asked.places) {
    StatusOr<StoredRecord> stored = ReadRecord(store, asked.job, place);
    if (stored.ok() &&
        (stored->record.type != RecordType::kCommit || stored->record.round != round))
      stored = BrokenChain(NameOf(asked.job, place));
    answer.status = stored.status();
    if (!stored.ok()) return answer;
    answer.commits.push_back(std::move(stored->record));
    ++round;
  }
  return answer;
}

}  // namespace dl::master
