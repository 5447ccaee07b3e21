#include "storage/value_blocks.h"

#include <cstdint>

namespace dl::storage {
namespace {

// Upper bound of an entry's overhead: lengths, shared prefix, sequence number and restart point.
constexpr uint64_t kEntryBytes = 32;

class ValueBlockPolicy final : public rocksdb::FlushBlockPolicy {
 public:
  explicit ValueBlockPolicy(uint64_t block_bytes) : block_bytes_(block_bytes) {}

  bool Update(const rocksdb::Slice& key, const rocksdb::Slice& value) override {
    const uint64_t entry = key.size() + value.size() + kEntryBytes;
    const bool ends_block = bytes_ > 0 && bytes_ + entry > block_bytes_;
    bytes_ = ends_block ? entry : bytes_ + entry;
    return ends_block;
  }

 private:
  const uint64_t block_bytes_;
  uint64_t bytes_ = 0;  // of the open block, including shared prefixes
};

class ValueBlockPolicyFactory final : public rocksdb::FlushBlockPolicyFactory {
 public:
  const char* Name() const override { return "paravane.ValueBlockPolicyFactory"; }
  rocksdb::FlushBlockPolicy* NewFlushBlockPolicy(const rocksdb::BlockBasedTableOptions& options,
                                                 const rocksdb::BlockBuilder&) const override {
    return std::make_unique<ValueBlockPolicy>(options.block_size).release();  // RocksDB owns it
  }
};

}  // namespace

std::shared_ptr<rocksdb::FlushBlockPolicyFactory> NewValueBlockPolicyFactory() {
  return std::make_shared<ValueBlockPolicyFactory>();  // shared because RocksDB requires it
}

}  // namespace dl::storage
