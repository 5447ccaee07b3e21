#include "storage/log_chain.h"

#include <algorithm>

#include "rocksdb/write_batch.h"

namespace dl::storage {
namespace {

class IndexFinder final : public rocksdb::WriteBatch::Handler {
 public:
  void Put(const rocksdb::Slice& key, const rocksdb::Slice& value) override {
    if (key.ToStringView() == kIndexKey) index = DecodeIndex(value.ToStringView());
  }
  void Delete(const rocksdb::Slice&) override {}
  rocksdb::Status DeleteRangeCF(uint32_t, const rocksdb::Slice&, const rocksdb::Slice&) override {
    return rocksdb::Status::OK();
  }
  std::optional<uint64_t> index;
};

std::optional<uint64_t> IndexOf(const rocksdb::WriteBatch& batch) {
  IndexFinder finder;
  if (!batch.Iterate(&finder).ok()) return std::nullopt;
  return finder.index;
}

}  // namespace

std::string EncodeIndex(uint64_t index) {
  std::string bytes(8, '\0');
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(index >> (56 - 8 * i));
  return bytes;
}

std::optional<uint64_t> DecodeIndex(std::string_view bytes) {
  if (bytes.size() != 8) return std::nullopt;
  uint64_t index = 0;
  for (const char c : bytes) index = index << 8 | static_cast<unsigned char>(c);
  return index;
}

rocksdb::WalFilter::WalProcessingOption LogSurvey::LogRecordFound(unsigned long long,
                                                                  const std::string& file,
                                                                  const rocksdb::WriteBatch& batch,
                                                                  rocksdb::WriteBatch*, bool*) {
  // An empty batch is RocksDB's own mark in a log that it opened after damage.
  if (batch.Count() == 0) return WalProcessingOption::kIgnoreCurrentRecord;
  const std::optional<uint64_t> index = IndexOf(batch);
  if (!gap_.empty()) return WalProcessingOption::kIgnoreCurrentRecord;
  if (!index) {
    gap_ = "the log " + file + " has a batch without an index";
  } else if (last_ && *index != *last_ + 1) {
    gap_ = "in the log " + file + " batch " + std::to_string(*index) + " follows batch " +
           std::to_string(*last_);
  } else {
    if (!first_) first_ = index;
    last_ = index;
  }
  return WalProcessingOption::kIgnoreCurrentRecord;
}

uint64_t LogSurvey::End(uint64_t table_index) const {
  if (!last_ || *first_ > table_index + 1) return table_index;
  return std::max(table_index, *last_);
}

std::string LogSurvey::Gap(uint64_t table_index) const {
  if (first_ && *first_ > table_index + 1) {
    return "the log begins at batch " + std::to_string(*first_) + ", the tables end at batch " +
           std::to_string(table_index);
  }
  return gap_;
}

rocksdb::WalFilter::WalProcessingOption LogCut::LogRecordFound(unsigned long long,
                                                               const std::string&,
                                                               const rocksdb::WriteBatch& batch,
                                                               rocksdb::WriteBatch*, bool*) {
  if (batch.Count() == 0) return WalProcessingOption::kContinueProcessing;
  const std::optional<uint64_t> index = IndexOf(batch);
  if (!index || *index > last_ + 1) return WalProcessingOption::kStopReplay;
  // Batches that are already in the tables are skipped. Replayed, they would hide newer values.
  if (*index <= tables_) return WalProcessingOption::kIgnoreCurrentRecord;
  last_ = std::max(last_, *index);
  return WalProcessingOption::kContinueProcessing;
}

}  // namespace dl::storage
