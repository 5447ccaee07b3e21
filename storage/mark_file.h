// The high-water mark of a meta store: the index of its last durable batch, stored outside the
// database. A batch is acknowledged after the mark has its index.
//
// MARK has four slots of 40 bytes, at offsets 0, 4096, 8192 and 12288. They are in different
// sectors, so one torn write damages one slot only. A slot is, little-endian:
//   0  u64  magic "DLMARK01"
//   8  u64  index
//   16 u64  bitwise complement of index
//   24 u64  zero
//   32 u64  XXH3-64 of bytes 0..31
// Index n is written to the slots n mod 2 and n mod 2 + 2, so the slots of n-1 stay intact
// meanwhile. The mark is the largest index of an intact slot. If each half (even and odd slots) has
// an intact slot, the mark is certain; otherwise it may be one batch too low, but never too high.
// Files of earlier versions have only the first two slots, and earlier versions can read newer
// files.
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
  bool exists = false;            // the file exists and is not empty
  std::optional<uint64_t> index;  // nullopt: no slot is intact
  bool certain = false;           // each half has an intact slot
};

// Reads the mark without changing the file. A missing file is not an error. Returns an error only
// if the file cannot be read.
StatusOr<MarkReading> ReadMark(const std::string& path);

// Not thread-safe.
class MarkFile {
 public:
  struct Options {
    bool drop_unsynced_on_kill = false;  // tests: writes stay in memory until they are synced
  };
  // Opens or creates the file. All functions return errors of the file system.
  static StatusOr<std::unique_ptr<MarkFile>> Open(const std::string& path, Options options);

  // Writes and syncs all slots, first one half and then the other. Must be called before Advance,
  // when the index of the database is known.
  Status Reset(uint64_t index);
  // Writes and syncs the slots of `index`. REQUIRES: `index` is the last written index plus one,
  // and no earlier call returned an error.
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
