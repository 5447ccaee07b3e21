// Holds results of gathered rounds from their announcement to the commit, in memory and in files
// without a name. The space of a file is freed when its last result is dropped. If the disk hangs,
// each call waits for it for at most `disk_limit` (base/disk_calls.h).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/disk_calls.h"
#include "base/float_buffer_pool.h"
#include "base/mutex.h"
#include "base/spill_file.h"
#include "base/status.h"

namespace dl::executor {

// Thread-safe.
class HeldResults {
 public:
  struct Options {
    // Largest number of bytes of results in memory. Further results are written to disk.
    int64_t memory_bytes = INT64_MAX;
    std::string folder;  // of the files; empty: TMPDIR, else /tmp
    Duration disk_limit = DiskCalls::kLimit;
  };
  explicit HeldResults(Options options);
  // Leaves the files of a disk that hangs open, because the process would wait for their end.
  ~HeldResults();

  // Holds the result of the computation that this lease names. A result that exceeds the memory
  // bound is written to disk. If that fails, the result stays in memory and the error of the disk
  // is returned, so Hold loses no result. Does nothing if a result of the computation is held
  // already.
  Status Hold(uint64_t computation, std::shared_ptr<const FloatBuffer> result);
  // Returns the result, reading it from its file if needed. Returns NotFound if it is not held,
  // DataLoss if its disk hangs, and errors of the file or of memory.
  StatusOr<std::shared_ptr<const FloatBuffer>> Get(uint64_t computation);
  // Releases the result. Does nothing if it is not held.
  void Drop(uint64_t computation);

  // Bytes of the results in memory, and of the files.
  int64_t memory_bytes() const;
  int64_t disk_bytes() const;

 private:
  // File for results of one size, which are the results of one job.
  struct Shelf {
    std::shared_ptr<SpillFile> file;  // shared with its results and with calls that hang
    std::vector<int64_t> free;        // offsets that may be overwritten
    int64_t used = 0;
  };
  struct Held {
    std::shared_ptr<const FloatBuffer> result;  // null: on disk
    int64_t bytes = 0;
    int64_t offset = 0;
    std::shared_ptr<SpillFile> file;
  };
  // Writes the result to a file, and sets where it is.
  Status Spill(const std::shared_ptr<const FloatBuffer>& result, Held& held) DL_REQUIRES(mutex_);
  void Close(std::shared_ptr<SpillFile> file) DL_REQUIRES(mutex_);

  const Options options_;
  DiskCalls disk_;
  FloatBufferPool pool_;
  mutable Mutex mutex_;
  std::map<uint64_t, Held> held_ DL_GUARDED_BY(mutex_);                     // by computation
  std::map<int64_t, Shelf> shelves_ DL_GUARDED_BY(mutex_);                  // by size
  std::vector<std::shared_ptr<SpillFile>> unclosed_ DL_GUARDED_BY(mutex_);  // the disk hung
  int64_t memory_ DL_GUARDED_BY(mutex_) = 0;
};

}  // namespace dl::executor
