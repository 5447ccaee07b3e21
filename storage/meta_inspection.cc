#include "storage/meta_inspection.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "storage/database_files.h"
#include "storage/log_chain.h"
#include "storage/rocks_status.h"

namespace dl::storage {
namespace {

Status CompareWithMark(uint64_t end, const MarkReading& mark, const std::string& dir) {
  if (!mark.index && (mark.exists || end > 0)) {
    return LossError(std::string("the high-water mark is ") +
                         (mark.exists ? "damaged in every slot" : "missing") +
                         "; the database is intact up to batch " + std::to_string(end),
                     dir);
  }
  if (end < mark.index.value_or(0)) {
    return LossError("acknowledged batches are missing: the database ends at batch " +
                         std::to_string(end) + ", its high-water mark says " +
                         std::to_string(*mark.index) +
                         " (the log is damaged or cut after that batch)",
                     dir);
  }
  // If a power cut tore the damaged half during a write, the batch of that write is in the log,
  // because the log is synced first; the database would then end after the mark. A new store whose
  // mark was half written has no batch yet.
  if (mark.index && !mark.certain && end == *mark.index && end > 0) {
    return LossError(
        "an acknowledged batch may be missing: half of the high-water mark is "
        "damaged, and the database ends at batch " +
            std::to_string(end) + ", the batch in the other half",
        dir);
  }
  return absl::OkStatus();
}

}  // namespace

Status LossError(std::string message, const std::string& dir) {
  return DataLoss({.message = std::move(message),
                   .where = dir,
                   .remedy = "Restore the folder from a copy, or start 'dl-submit master "
                             "--accept-loss' with it to continue from the last intact batch. The "
                             "replaced files stay in the folder lost-N in it."});
}

StatusOr<uint64_t> ReadIndex(rocksdb::DB& db, const std::string& dir) {
  std::string bytes;
  const rocksdb::Status status =
      db.Get(rocksdb::ReadOptions(), {kIndexKey.data(), kIndexKey.size()}, &bytes);
  if (status.IsNotFound()) return uint64_t{0};
  if (!status.ok()) return FromRocks(status, "cannot read the log index", dir);
  const std::optional<uint64_t> index = DecodeIndex(bytes);
  if (!index) return DataLoss({.message = "the log index is damaged", .where = dir});
  return *index;
}

MetaInspection InspectMeta(const std::string& dir, const std::string& database,
                           const rocksdb::Options& rocks, const MarkReading& mark) {
  MetaInspection found;
  LogSurvey survey;
  rocksdb::Options options = rocks;
  options.wal_recovery_mode =
      rocksdb::WALRecoveryMode::kPointInTimeRecovery;  // stops at the first damage
  options.wal_filter = &survey;
  std::unique_ptr<rocksdb::DB> db;
  const rocksdb::Status opened = OpenForReading(options, database, &db);
  if (!opened.ok()) {
    found.verdict = IsDamage(opened)
                        ? LossError("the database is damaged: " + opened.ToString(), dir)
                        : FromRocks(opened, "cannot open the database", dir);
    return found;
  }
  const auto unlisted = UnlistedTables(*db, database);
  found.lists_its_tables = unlisted.ok() && unlisted->empty();
  // A damaged block would one day fail a compaction and end the master.
  if (const rocksdb::Status whole = db->VerifyChecksum(); !whole.ok()) {
    found.verdict = IsDamage(whole)
                        ? LossError("a table of the database is damaged: " + whole.ToString(), dir)
                        : FromRocks(whole, "cannot read the database", dir);
  }
  const StatusOr<uint64_t> table_index = ReadIndex(*db, dir);
  if (!table_index.ok()) {
    if (found.verdict.ok()) found.verdict = table_index.status();
    return found;
  }
  found.table_index = *table_index;
  if (!found.verdict.ok()) return found;
  const std::string gap = survey.Gap(*table_index);
  found.verdict = gap.empty() ? CompareWithMark(survey.End(*table_index), mark, dir)
                              : LossError("acknowledged batches are missing: " + gap, dir);
  return found;
}

}  // namespace dl::storage
