#include "storage/store_env.h"

#include <string>
#include <utility>

#include "base/fail_point.h"
#include "rocksdb/file_system.h"
#include "storage/unsynced_loss_env.h"

namespace dl::storage {
namespace {

using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

IOStatus Pass(std::string_view point) {
  const Status passed = FailPoint(point);
  return passed.ok() ? IOStatus::OK() : IOStatus::IOError(std::string(passed.message()));
}
IOStatus PassWrite() { return Pass("store.write"); }
IOStatus PassSync() { return Pass("store.sync"); }
IOStatus PassEntry() { return Pass("store.entry"); }

class FailingFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  using FSWritableFileOwnerWrapper::FSWritableFileOwnerWrapper;
  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    const IOStatus passed = PassWrite();
    return passed.ok() ? target()->Append(data, options, debug) : passed;
  }
  IOStatus Append(const Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo& check, IODebugContext* debug) override {
    const IOStatus passed = PassWrite();
    return passed.ok() ? target()->Append(data, options, check, debug) : passed;
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    const IOStatus passed = PassSync();
    return passed.ok() ? target()->Sync(options, debug) : passed;
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    const IOStatus passed = PassSync();
    return passed.ok() ? target()->Fsync(options, debug) : passed;
  }
};

class FailingFolder final : public rocksdb::FSDirectoryWrapper {
 public:
  explicit FailingFolder(std::unique_ptr<rocksdb::FSDirectory> folder)
      : FSDirectoryWrapper(folder.get()), folder_(std::move(folder)) {}
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    const IOStatus passed = PassSync();
    return passed.ok() ? folder_->Fsync(options, debug) : passed;
  }
  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* debug,
                               const rocksdb::DirFsyncOptions& folder) override {
    const IOStatus passed = PassSync();
    return passed.ok() ? folder_->FsyncWithDirOptions(options, debug, folder) : passed;
  }

 private:
  std::unique_ptr<rocksdb::FSDirectory> folder_;
};

class FailingFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "FailingFileSystem"; }

  IOStatus NewWritableFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* result,
                           IODebugContext* debug) override {
    IOStatus status = PassEntry();
    std::unique_ptr<rocksdb::FSWritableFile> file;
    if (status.ok()) status = target()->NewWritableFile(path, options, &file, debug);
    if (status.ok()) result->reset(new FailingFile(std::move(file)));
    return status;
  }
  IOStatus ReopenWritableFile(const std::string& path, const FileOptions& options,
                              std::unique_ptr<rocksdb::FSWritableFile>* result,
                              IODebugContext* debug) override {
    std::unique_ptr<rocksdb::FSWritableFile> file;
    const IOStatus status = target()->ReopenWritableFile(path, options, &file, debug);
    if (status.ok()) result->reset(new FailingFile(std::move(file)));
    return status;
  }
  IOStatus NewDirectory(const std::string& path, const IOOptions& options,
                        std::unique_ptr<rocksdb::FSDirectory>* result,
                        IODebugContext* debug) override {
    std::unique_ptr<rocksdb::FSDirectory> folder;
    const IOStatus status = target()->NewDirectory(path, options, &folder, debug);
    if (status.ok()) result->reset(new FailingFolder(std::move(folder)));
    return status;
  }
  IOStatus DeleteFile(const std::string& path, const IOOptions& options,
                      IODebugContext* debug) override {
    const IOStatus passed = PassEntry();
    return passed.ok() ? target()->DeleteFile(path, options, debug) : passed;
  }
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                      IODebugContext* debug) override {
    const IOStatus passed = PassEntry();
    return passed.ok() ? target()->RenameFile(from, to, options, debug) : passed;
  }
  IOStatus LinkFile(const std::string& from, const std::string& to, const IOOptions& options,
                    IODebugContext* debug) override {
    const IOStatus passed = PassEntry();
    return passed.ok() ? target()->LinkFile(from, to, options, debug) : passed;
  }
};

}  // namespace

std::unique_ptr<rocksdb::Env> NewStoreEnv(const StoreEnvOptions& options) {
  if (!options.drop_unsynced_on_kill && !FailPointsArmed()) return nullptr;
  std::shared_ptr<rocksdb::FileSystem> files =
      options.drop_unsynced_on_kill ? NewUnsyncedLossFileSystem() : rocksdb::FileSystem::Default();
  if (FailPointsArmed()) files = std::make_shared<FailingFileSystem>(std::move(files));
  return rocksdb::NewCompositeEnv(std::move(files));
}

}  // namespace dl::storage
