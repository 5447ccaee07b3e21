// Imports a file that a client sent, in a process of its own with limited memory and time.
#pragma once

#include <csignal>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/process.h"
#include "base/status.h"
#include "web/import_service.h"

namespace dl::launch {

// Most memory and processor time of the process. It has the lowest priority.
inline constexpr int64_t kImportMemoryBytes = int64_t{1} << 30;
inline constexpr int64_t kImportCpuSeconds = 3600;
// Most time from its start to its end, which may be long on a busy machine.
inline constexpr Duration kImportTime = std::chrono::hours(2);

// A file that a client sent, and how to import it.
struct ReceivedFile {
  std::string folder;  // contains only this file; the import writes its other files here
  std::string name;    // of the file in the folder
  std::vector<std::pair<std::string, std::string>> flags;  // web::ImportRequest::flags
};

struct ImportOutcome {
  Json sets = Json::array();  // documents "ImportedSet"
  web::ImportedData data;
};

// Returns InvalidArgument if a client may not send a file of this name with these flags. A file
// must contain all of its data, and be described by its name: a table, libsvm or .npz, possibly
// compressed, or an archive of images. Flags must not name other files.
Status CheckReceivedFile(const std::string& name,
                         const std::vector<std::pair<std::string, std::string>>& flags);

// The process `dl-submit import`. The destructor kills it. Thread-safe as ChildProcess.
class ImportProcess {
 public:
  struct Options {
    std::string program;            // path of dl-submit
    std::string data_dir;           // of the running master that receives the blocks
    int64_t max_written_bytes = 0;  // of each temporary file
  };
  // Starts the process. REQUIRES: CheckReceivedFile accepted the file. Returns errors of Spawner.
  static StatusOr<std::unique_ptr<ImportProcess>> Start(const Options& options, ReceivedFile file);

  // Waits for the end of the process. Returns the error that the process reported. Returns
  // ResourceExhausted if it needed more than a limit, or was killed.
  StatusOr<ImportOutcome> Wait();
  // Ends the process, and so Wait. Thread-safe.
  void Kill() { (void)child_->Signal(SIGKILL); }

 private:
  ImportProcess(ReceivedFile file, std::unique_ptr<ChildProcess> child)
      : file_(std::move(file)), child_(std::move(child)) {}
  Status LimitResources(const Options& options) const;
  StatusOr<std::string> ManifestFile(const char* name) const;

  const ReceivedFile file_;
  const std::unique_ptr<ChildProcess> child_;
};

}  // namespace dl::launch
