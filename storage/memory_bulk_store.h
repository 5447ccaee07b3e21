// A BulkStore in memory for the simulator and for tests. Write errors and damaged values can be
// injected.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "storage/bulk_store.h"

namespace dl::storage {

class MemoryBulkStore final : public BulkStore {
 public:
  Status Ingest(int64_t bytes, const std::function<Status(TableWriter&)>& fill) override
      DL_EXCLUDES(mutex_);
  Status Read(std::string_view key,
              const std::function<Status(std::string_view value)>& use) override
      DL_EXCLUDES(mutex_);
  Status DropFiles(std::string_view begin, std::string_view end) override DL_EXCLUDES(mutex_);
  // Deletes the files; no folder is written.
  Status MoveFilesTo(std::string_view begin, std::string_view end,
                     const std::string& folder) override {
    (void)folder;
    return DropFiles(begin, end);
  }
  StatusOr<std::vector<TableFile>> Files() override DL_EXCLUDES(mutex_);

  // Sets a function that is called before each Ingest. If it returns an error, Ingest stores
  // nothing and returns the error. An empty function ends the injection.
  void FailWrites(std::function<Status()> before_ingest) DL_EXCLUDES(mutex_);
  // Flips one bit in each file whose first key begins with `prefix`. The bit is in the value of
  // that key; files in which this value is empty are not changed. Returns the number of changed
  // files. Read does not detect the change.
  int64_t Damage(std::string_view prefix) DL_EXCLUDES(mutex_);

 private:
  using Table = std::map<std::string, std::string, std::less<>>;

  Mutex mutex_;
  std::map<int64_t, Table> files_ DL_GUARDED_BY(mutex_);  // by number
  int64_t next_file_ DL_GUARDED_BY(mutex_) = 0;
  std::function<Status()> before_ingest_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::storage
