// Data blocks of a table in which a large value has a block of its own. Private to this folder.
#pragma once

#include <memory>

#include "rocksdb/flush_block_policy.h"

namespace dl::storage {

// Ends a data block before it would exceed `block_size` of the table's options. RocksDB's own rule
// looks at what a block holds already, so a large value shares a block with the small values before
// it, and each read of one of them reads the large value too. With this rule a read of a small
// value reads at most `block_size` bytes. Only a value that is larger by itself makes a larger
// block, and no other value is in that block.
std::shared_ptr<rocksdb::FlushBlockPolicyFactory> NewValueBlockPolicyFactory();

}  // namespace dl::storage
