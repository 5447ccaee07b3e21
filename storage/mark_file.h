// The high-water mark of a meta store, outside its database: the index of the last batch that was
// acknowledged.
//
// MARK has four slots of 40 bytes, at offsets 0, 4096, 8192 and 12288 (sectors of their own: one
// torn write spoils one slot). A slot is, little-endian:
//   0  u64  magic "DLMARK01"
//   8  u64  index
//   16 u64  bitwise complement of index
//   24 u64  zero
//   32 u64  XXH3-64 of bytes 0..31
// Index n goes into the slots n mod 2 and n mod 2 + 2, so those of n-1 stay intact while n is
// written. The mark is the largest intact one. While each half (the slots of even, of odd indices)
// has an intact slot, that is certain; otherwise the mark may be one batch short, never too high.
// Files of earlier programs have the first two slots only, and those programs read them of ours.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "base/status.h"

namespace dl::storage {

struct MarkReading {
  bool exists = false;            // the file is there, with at least one slot's bytes
  std::optional<uint64_t> index;  // none: no slot is intact
  bool certain = false;           // an intact slot in each half
};

// Reads without changing anything. Fails only when the file cannot be read.
StatusOr<MarkReading> ReadMark(const std::string& path);

// Not thread-safe.
class MarkFile {
 public:
  // Opens or creates the file. With `drop_unsynced_on_kill` a write stays in memory until it is
  // synced.
  struct Options {
    bool drop_unsynced_on_kill = false;
  };
  static StatusOr<std::unique_ptr<MarkFile>> Open(const std::string& path, Options options);

  // All slots, synced: at open, once the database's own index is known.
  Status Reset(uint64_t index);
  // One half, synced. An error is final: never call it again.
  Status Advance(uint64_t index);

 private:
  struct Pending {
    int64_t offset;
    std::string bytes;
  };
  MarkFile(std::string path, FileDescriptor file, Options options)
      : path_(std::move(path)), file_(std::move(file)), options_(options) {}
  Status WriteHalf(uint64_t index, int half);
  Status PwriteAll(const Pending& slot);
  Status Sync();

  std::string path_;
  FileDescriptor file_;
  Options options_;
  std::vector<Pending> unsynced_;
};

}  // namespace dl::storage
