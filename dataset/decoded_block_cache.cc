#include "dataset/decoded_block_cache.h"

#include "absl/strings/str_cat.h"
#include "base/checksum.h"

namespace dl::dataset {

StatusOr<std::shared_ptr<const Block>> DecodedBlockCache::Read(const BlockInfo& info,
                                                               const Schema& schema) {
  DL_ASSIGN_OR_RETURN(std::shared_ptr<const Bytes> bytes, source_.Get(info.sha256));
  if (bytes == nullptr || Sha256Hex(*bytes) != info.sha256) {
    return DataLoss(
        {.message = absl::StrCat("block ", info.sha256, " does not match its SHA-256 name"),
         .where = info.sha256,
         .remedy = "Remove the damaged copy or import the dataset again"});
  }
  {
    MutexLock lock(mutex_);
    stats_.bytes_read += static_cast<int64_t>(bytes->size());
  }
  StatusOr<std::shared_ptr<const Block>> block = Block::Decode(std::move(bytes), schema);
  if (!block.ok()) return WithContext(block.status(), info.sha256);
  if ((*block)->examples() != info.examples) {
    return DataLoss({.message = absl::StrCat("block ", info.sha256, " holds ", (*block)->examples(),
                                             " examples, but the manifest states ", info.examples),
                     .where = info.sha256,
                     .remedy = "Import the dataset again"});
  }
  return block;
}

StatusOr<std::shared_ptr<const Block>> DecodedBlockCache::Get(const BlockInfo& info,
                                                              const Schema& schema) {
  {
    MutexLock lock(mutex_);
    while (true) {
      auto found = by_name_.find(info.sha256);
      if (found != by_name_.end()) {
        const Entry& entry = *found->second;
        // Another manifest may name the same block with another schema or count. The block is then
        // checked again.
        if (entry.schema == schema && entry.block->examples() == info.examples) {
          ++stats_.hits;
          entries_.splice(entries_.begin(), entries_, found->second);
          return entry.block;
        }
        Erase(found->second);
      }
      if (loading_.insert(info.sha256).second) break;
      loaded_.Wait(mutex_);
    }
    ++stats_.misses;
  }
  StatusOr<std::shared_ptr<const Block>> block = Read(info, schema);
  MutexLock lock(mutex_);
  loading_.erase(info.sha256);
  if (block.ok()) Insert({.sha256 = info.sha256, .schema = schema, .block = *block});
  loaded_.NotifyAll();
  return block;
}

void DecodedBlockCache::Insert(Entry entry) {
  stats_.bytes_held += entry.block->memory_bytes();
  entries_.push_front(std::move(entry));
  by_name_[entries_.front().sha256] = entries_.begin();
  while (stats_.bytes_held > max_bytes_) Erase(std::prev(entries_.end()));
}

void DecodedBlockCache::Erase(std::list<Entry>::iterator entry) {
  stats_.bytes_held -= entry->block->memory_bytes();
  by_name_.erase(entry->sha256);
  entries_.erase(entry);
}

BlockCacheStats DecodedBlockCache::stats() const {
  MutexLock lock(mutex_);
  return stats_;
}

}  // namespace dl::dataset
