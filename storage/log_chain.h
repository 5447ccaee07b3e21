// The index that every batch of the meta store carries, and checks of RocksDB's log by it. Private
// to this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rocksdb/wal_filter.h"

namespace dl::storage {

// The key under which a batch stores its index: 8 bytes, big-endian.
inline constexpr std::string_view kIndexKey("\0index", 6);

std::string EncodeIndex(uint64_t index);
// Returns nullopt unless there are 8 bytes.
std::optional<uint64_t> DecodeIndex(std::string_view bytes);

// Inspects the batches of the log, up to its first damaged record, and replays none, so that the
// open database shows only the contents of its table files.
class LogSurvey final : public rocksdb::WalFilter {
 public:
  WalProcessingOption LogRecordFound(unsigned long long log_number,
                                     const std::string& log_file_name,
                                     const rocksdb::WriteBatch& batch,
                                     rocksdb::WriteBatch* new_batch, bool* batch_changed) override;
  const char* Name() const override { return "LogSurvey"; }

  // Returns the index of the last batch, before any gap, of a store whose table files end at batch
  // `table_index`.
  uint64_t End(uint64_t table_index) const;
  // Returns a sentence about the first batch that does not follow its predecessor, or an empty
  // string if there is no gap.
  std::string Gap(uint64_t table_index) const;

 private:
  std::optional<uint64_t> first_, last_;
  std::string gap_;
};

// Replays the batches of the log that follow the table files, which end at batch `table_index`, up
// to the first gap.
class LogCut final : public rocksdb::WalFilter {
 public:
  explicit LogCut(uint64_t table_index) : tables_(table_index), last_(table_index) {}
  WalProcessingOption LogRecordFound(unsigned long long log_number,
                                     const std::string& log_file_name,
                                     const rocksdb::WriteBatch& batch,
                                     rocksdb::WriteBatch* new_batch, bool* batch_changed) override;
  const char* Name() const override { return "LogCut"; }

 private:
  const uint64_t tables_;
  uint64_t last_;
};

}  // namespace dl::storage
