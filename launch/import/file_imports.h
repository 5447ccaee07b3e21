// Files that clients send to a master by HTTP, and their imports.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/mutex.h"
#include "base/thread.h"
#include "base/worker_thread.h"
#include "launch/import/import_process.h"
#include "launch/import/upload_space.h"
#include "web/import_service.h"

namespace dl::launch {

// Longest file that a client may send, unless the user of the master sets another limit.
inline constexpr int64_t kUploadBytes = int64_t{1} << 30;
// Most files at once, from the first byte to the end of the import. Each token has one of them.
inline constexpr size_t kMaxReceivedFiles = 4;
// Most ended imports whose documents are kept until the master ends, the newest ones.
inline constexpr size_t kMaxEndedImports = 16, kMaxEndedImportsOfToken = 4;

// Deletes the files that an earlier master left. Returns errors of the file system. REQUIRES: this
// process holds the data folder.
Status DeleteReceivedFiles(const std::string& data_dir);

// Files are in DATA_DIR/uploads, each in a folder of its own, until their import has ended.
// Imports run one after the other. Thread-safe.
class FileImports final : public web::ImportService {
 public:
  struct Options {
    std::string program;         // path of dl-submit, which imports
    std::string data_dir;        // of the master; must be announced (DataFolder::Announce)
    int64_t max_file_bytes = 0;  // more than 0
    int64_t left_free = kReservedForStores;  // bytes that files and imports leave free on the disk
  };
  // Calls DeleteReceivedFiles. Returns errors of the file system.
  static StatusOr<std::unique_ptr<FileImports>> Open(Options options);
  ~FileImports() override { Stop(); }
  // Ends the import that runs, and deletes all files. Later files are refused. Idempotent.
  void Stop() DL_EXCLUDES(mutex_);

  int64_t max_file_bytes() const override { return options_.max_file_bytes; }
  StatusOr<std::shared_ptr<web::BodySink>> Receive(const web::ImportRequest& request) override
      DL_EXCLUDES(mutex_);
  std::string List(const security::Identity& caller) const override DL_EXCLUDES(mutex_);
  StatusOr<std::string> Show(const std::string& id, const security::Identity& caller) const override
      DL_EXCLUDES(mutex_);
  StatusOr<std::string> Remove(const std::string& id, const security::Identity& caller) override
      DL_EXCLUDES(mutex_);
  StatusOr<web::ImportedData> Data(const std::string& id,
                                   const security::Identity& caller) const override
      DL_EXCLUDES(mutex_);

 private:
  enum class State : uint8_t { kReceiving, kWaiting, kRunning, kSucceeded, kFailed };
  struct Import {
    std::string id;
    web::ImportRequest request;
    State state = State::kReceiving;
    int64_t received_unix_ms = 0;
    std::string sets;  // JSON; empty unless it has succeeded
    web::ImportedData data;
    Status error;
    bool has_folder = true;   // counts among the files
    bool is_removed = false;  // by Remove; the import is to end, and its owner may not see it

    bool has_ended() const { return state >= State::kSucceeded; }
  };

  struct Work {
    uint64_t number = 0;  // of the import
    ReceivedFile file;
  };

  explicit FileImports(Options options);
  std::string FolderOf(const Import& import) const;
  enum class Sets : uint8_t { kWithSets, kWithoutSets };
  static Json Document(const Import& import, Sets sets = Sets::kWithSets);
  static bool MaySee(const Import& import, const security::Identity& caller);
  // Returns the number of an import that the caller may see and that has arrived, or NotFound.
  StatusOr<uint64_t> Find(const std::string& id, const security::Identity& caller) const
      DL_REQUIRES(mutex_);
  // Called when all bytes of a file have arrived. Returns the document.
  StatusOr<std::string> Enqueue(uint64_t number) DL_EXCLUDES(mutex_);
  // Waits for a file to import. Returns nullopt after Stop.
  std::optional<Work> AwaitWork() DL_EXCLUDES(mutex_);
  StatusOr<ImportOutcome> RunImport(const Work& work) DL_EXCLUDES(mutex_);
  void End(uint64_t number, StatusOr<ImportOutcome> outcome) DL_EXCLUDES(mutex_);
  // Deletes the files of an import, and forgets an import that has not ended, on the deleting
  // thread. They count until then.
  void DeleteFiles(uint64_t number) DL_REQUIRES(mutex_);
  void ForgetOldest() DL_REQUIRES(mutex_);

  const Options options_;
  mutable Mutex mutex_;
  CondVar changed_;
  bool stopping_ DL_GUARDED_BY(mutex_) = false;
  uint64_t last_ DL_GUARDED_BY(mutex_) = 0;
  // By number, the oldest first. Imports wait in this order.
  std::map<uint64_t, Import> imports_ DL_GUARDED_BY(mutex_);
  ImportProcess* running_ DL_GUARDED_BY(mutex_) = nullptr;
  std::unique_ptr<WorkerThread> deleting_;  // null after Stop
  Thread importing_;
};

}  // namespace dl::launch
