#include "storage/unsynced_loss_env.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>

#include "base/mutex.h"
#include "rocksdb/file_system.h"

namespace dl::storage {
namespace {

using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

// The bytes appended to one file since its last sync.
struct UnsyncedTail {
  Mutex mutex;
  std::string bytes DL_GUARDED_BY(mutex);

  size_t Size() {
    MutexLock lock(mutex);
    return bytes.size();
  }
  std::string Copy() {
    MutexLock lock(mutex);
    return bytes;
  }
};
using TailPointer =
    std::shared_ptr<UnsyncedTail>;  // shared by the open file, its folder entry and its hard links

class BufferingFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  BufferingFile(std::unique_ptr<rocksdb::FSWritableFile> file, TailPointer tail)
      : FSWritableFileOwnerWrapper(std::move(file)), tail_(std::move(tail)) {}

  IOStatus Append(const Slice& data, const IOOptions&, IODebugContext*) override {
    MutexLock lock(tail_->mutex);
    tail_->bytes.append(data.data(), data.size());
    return IOStatus::OK();
  }
  IOStatus Append(const Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo&,
                  IODebugContext* debug) override {
    return Append(data, options, debug);
  }
  IOStatus PositionedAppend(const Slice&, uint64_t, const IOOptions&, IODebugContext*) override {
    return IOStatus::NotSupported("direct writes");
  }
  IOStatus PositionedAppend(const Slice&, uint64_t, const IOOptions&,
                            const rocksdb::DataVerificationInfo&, IODebugContext*) override {
    return IOStatus::NotSupported("direct writes");
  }
  IOStatus Truncate(uint64_t size, const IOOptions& options, IODebugContext* debug) override {
    MutexLock lock(tail_->mutex);
    const uint64_t synced = target()->GetFileSize(options, debug);
    tail_->bytes.resize(size > synced ? size - synced : 0);
    return size < synced ? target()->Truncate(size, options, debug) : IOStatus::OK();
  }
  IOStatus Flush(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus RangeSync(uint64_t, uint64_t, const IOOptions&, IODebugContext*) override {
    return IOStatus::OK();
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    MutexLock lock(tail_->mutex);
    IOStatus status = target()->Append(tail_->bytes, options, debug);
    if (!status.ok()) return status;
    tail_->bytes.clear();
    return target()->Sync(options, debug);
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return Sync(options, debug);
  }
  bool IsSyncThreadSafe() const override { return true; }
  uint64_t GetFileSize(const IOOptions& options, IODebugContext* debug) override {
    return target()->GetFileSize(options, debug) + tail_->Size();
  }

 private:
  TailPointer tail_;
};

class MemoryRandomAccessFile final : public rocksdb::FSRandomAccessFile {
 public:
  explicit MemoryRandomAccessFile(std::string content) : content_(std::move(content)) {}
  IOStatus Read(uint64_t offset, size_t n, const IOOptions&, Slice* result, char*,
                IODebugContext*) const override {
    const size_t from = std::min<uint64_t>(offset, content_.size());
    *result = Slice(content_.data() + from, std::min(n, content_.size() - from));
    return IOStatus::OK();
  }

 private:
  const std::string content_;
};

class MemorySequentialFile final : public rocksdb::FSSequentialFile {
 public:
  explicit MemorySequentialFile(std::string content) : content_(std::move(content)) {}
  IOStatus Read(size_t n, const IOOptions&, Slice* result, char* scratch,
                IODebugContext*) override {
    const size_t size = std::min(n, content_.size() - at_);
    std::memcpy(scratch, content_.data() + at_, size);
    *result = Slice(scratch, size);
    at_ += size;
    return IOStatus::OK();
  }
  IOStatus Skip(uint64_t n) override {
    at_ += std::min<uint64_t>(n, content_.size() - at_);
    return IOStatus::OK();
  }

 private:
  const std::string content_;
  size_t at_ = 0;
};

class UnsyncedLossFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  UnsyncedLossFileSystem() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "UnsyncedLossFileSystem"; }

  IOStatus NewWritableFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* result,
                           IODebugContext* debug) override {
    std::unique_ptr<rocksdb::FSWritableFile> file;
    IOStatus status = target()->NewWritableFile(path, options, &file, debug);
    if (!status.ok()) return status;
    Forget(path);
    result->reset(new BufferingFile(std::move(file), TailOf(path, /*create=*/true)));
    return status;
  }
  IOStatus ReopenWritableFile(const std::string& path, const FileOptions& options,
                              std::unique_ptr<rocksdb::FSWritableFile>* result,
                              IODebugContext* debug) override {
    std::unique_ptr<rocksdb::FSWritableFile> file;
    IOStatus status = target()->ReopenWritableFile(path, options, &file, debug);
    if (!status.ok()) return status;
    result->reset(new BufferingFile(std::move(file), TailOf(path, /*create=*/true)));
    return status;
  }
  IOStatus ReuseWritableFile(const std::string&, const std::string&, const FileOptions&,
                             std::unique_ptr<rocksdb::FSWritableFile>*, IODebugContext*) override {
    return IOStatus::NotSupported("recycled files");
  }
  IOStatus NewRandomAccessFile(const std::string& path, const FileOptions& options,
                               std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
                               IODebugContext* debug) override {
    const TailPointer tail = TailOf(path, /*create=*/false);
    if (!tail || tail->Size() == 0)
      return target()->NewRandomAccessFile(path, options, result, debug);
    std::string content;
    IOStatus status = ReadWhole(path, options, *tail, &content, debug);
    if (status.ok()) result->reset(new MemoryRandomAccessFile(std::move(content)));
    return status;
  }
  IOStatus NewSequentialFile(const std::string& path, const FileOptions& options,
                             std::unique_ptr<rocksdb::FSSequentialFile>* result,
                             IODebugContext* debug) override {
    const TailPointer tail = TailOf(path, /*create=*/false);
    if (!tail || tail->Size() == 0)
      return target()->NewSequentialFile(path, options, result, debug);
    std::string content;
    IOStatus status = ReadWhole(path, options, *tail, &content, debug);
    if (status.ok()) result->reset(new MemorySequentialFile(std::move(content)));
    return status;
  }
  IOStatus GetFileSize(const std::string& path, const IOOptions& options, uint64_t* size,
                       IODebugContext* debug) override {
    IOStatus status = target()->GetFileSize(path, options, size, debug);
    const TailPointer tail = TailOf(path, /*create=*/false);
    if (status.ok() && tail) *size += tail->Size();
    return status;
  }
  IOStatus DeleteFile(const std::string& path, const IOOptions& options,
                      IODebugContext* debug) override {
    IOStatus status = target()->DeleteFile(path, options, debug);
    if (status.ok()) Forget(path);
    return status;
  }
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                      IODebugContext* debug) override {
    IOStatus status = target()->RenameFile(from, to, options, debug);
    if (!status.ok()) return status;
    const TailPointer tail = TailOf(from, /*create=*/false);
    Forget(from);
    Remember(to, tail);
    return status;
  }
  IOStatus LinkFile(const std::string& from, const std::string& to, const IOOptions& options,
                    IODebugContext* debug) override {
    IOStatus status = target()->LinkFile(from, to, options, debug);
    if (status.ok()) Remember(to, TailOf(from, /*create=*/false));
    return status;
  }

 private:
  static std::string Normal(const std::string& path) {
    return std::filesystem::path(path).lexically_normal().string();
  }

  TailPointer TailOf(const std::string& path, bool create) DL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const std::string name = Normal(path);
    const auto found = tails_.find(name);
    if (found != tails_.end()) return found->second;
    if (!create) return nullptr;
    return tails_[name] = std::make_shared<UnsyncedTail>();
  }
  void Remember(const std::string& path, const TailPointer& tail) DL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    tails_.erase(Normal(path));
    if (tail) tails_[Normal(path)] = tail;
  }
  void Forget(const std::string& path) { Remember(path, nullptr); }

  IOStatus ReadWhole(const std::string& path, const FileOptions& options, UnsyncedTail& tail,
                     std::string* content, IODebugContext* debug) {
    uint64_t size = 0;
    IOStatus status = target()->GetFileSize(path, options.io_options, &size, debug);
    if (!status.ok()) return status;
    std::unique_ptr<rocksdb::FSSequentialFile> file;
    status = target()->NewSequentialFile(path, options, &file, debug);
    if (!status.ok()) return status;
    content->resize(size);
    Slice read;
    status = file->Read(size, options.io_options, &read, content->data(), debug);
    if (!status.ok()) return status;
    content->resize(read.size());
    content->append(tail.Copy());
    return status;
  }

  Mutex mutex_;
  std::map<std::string, TailPointer> tails_ DL_GUARDED_BY(mutex_);
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> NewUnsyncedLossFileSystem() {
  return std::make_shared<UnsyncedLossFileSystem>();
}

}  // namespace dl::storage
