// Places large values of a table in data blocks of their own. Private to this folder.
#pragma once

#include <memory>

#include "rocksdb/flush_block_policy.h"

namespace dl::storage {

// Ends a data block before it would exceed `block_size` of the table's options. RocksDB's own rule
// only considers the bytes already in the block. A large value then shares a block with the small
// values before it, and each read of a small value reads the large one too. With this rule a read
// of a small value reads at most `block_size` bytes, and a value larger than that is alone in its
// block.
std::shared_ptr<rocksdb::FlushBlockPolicyFactory> NewValueBlockPolicyFactory();

}  // namespace dl::storage
