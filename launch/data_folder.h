// A data folder is open in one process at a time. DATA_DIR/holder says which, and where it answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"

namespace dl::launch {

struct FolderHolder {
  int64_t pid = 0;      // 0: it has not said so yet
  std::string command;  // "dl-submit run lenet_fashion_mnist"
  std::string master;   // "dl://127.0.0.1:7077"; empty: it cannot be asked (local[N])
};

class DataFolder {
 public:
  // Creates the folder when it is not there, for its owner alone. FailedPrecondition names the
  // process that has it. The lock ends with the object or the process, however that ends.
  static StatusOr<DataFolder> Open(const std::string& path);
  ~DataFolder();
  DataFolder(DataFolder&& other) noexcept;
  DataFolder& operator=(DataFolder&&) = delete;

  // Says where this process answers for the folder.
  Status Announce(const std::string& master);

  // Who has it now; nullopt for nobody. Disturbs nobody.
  static std::optional<FolderHolder> Holder(const std::string& path);

 private:
  explicit DataFolder(int fd) : fd_(fd) {}
  int fd_;
};

// The command that started the holder for itself and ends it: a `run` on local-cluster[N] for its
// master. nullopt where the holder stands by itself, or nothing can be learned of its parent.
std::optional<FolderHolder> CommandBehind(const FolderHolder& holder);

// Whether a master has ever kept its state there.
bool HasStore(const std::string& path);

// "the data folder is in use by process 71 (dl-submit run job.json)", with what to do.
Status FolderInUse(const std::string& path, const FolderHolder& holder);

}  // namespace dl::launch
