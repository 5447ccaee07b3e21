// The high-water mark of a meta store, outside its database: the index of the last batch that was
// acknowledged.
//
// MARK has two slots of 40 bytes, at offsets 0 and 4096 (two sectors: one torn write spoils one
// slot). A slot is, little-endian:
//   0  u64  magic "DLMARK01"
//   8  u64  index
//   16 u64  bitwise complement of index
//   24 u64  zero
//   32 u64  XXH3-64 of bytes 0..31
// Index n goes into slot n mod 2, so the slot of n-1 stays intact while n is written. The mark is
// the larger intact one; with one slot damaged it may be one batch short, never too high.
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
  int intact_slots = 0;
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

  // Both slots, synced: at open, once the database's own index is known.
  Status Reset(uint64_t index);
  // One slot, synced. An error is final: never call it again.
  Status Advance(uint64_t index);

 private:
  struct Pending {
    int64_t offset;
    std::string bytes;
  };
  MarkFile(std::string path, FileDescriptor file, Options options)
      : path_(std::move(path)), file_(std::move(file)), options_(options) {}
  Status WriteSlot(uint64_t index, int slot);
  Status PwriteAll(const Pending& slot);
  Status Sync();

  std::string path_;
  FileDescriptor file_;
  Options options_;
  std::vector<Pending> unsynced_;
};

}  // namespace dl::storage
