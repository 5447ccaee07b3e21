#include "storage/memory_bulk_store.h"

#include <algorithm>
#include <utility>

namespace dl::storage {
namespace {

using Values = std::map<std::string, std::string, std::less<>>;

class MemoryTableWriter final : public TableWriter {
 public:
  explicit MemoryTableWriter(Values& values) : values_(values) {}
  Status Add(std::string_view key, std::span<const std::byte> value) override {
    if (!values_.empty() && key <= values_.rbegin()->first)
      return InvalidArgument({.message = "keys of a table file must ascend"});
    values_.emplace(key, std::string(reinterpret_cast<const char*>(value.data()), value.size()));
    return absl::OkStatus();
  }

 private:
  Values& values_;
};

}  // namespace

Status MemoryBulkStore::Ingest(int64_t, const std::function<Status(TableWriter&)>& fill) {
  std::function<Status()> before;
  {
    MutexLock lock(mutex_);
    before = before_ingest_;
  }
  if (before) DL_RETURN_IF_ERROR(before());
  Values values;
  MemoryTableWriter writer(values);
  DL_RETURN_IF_ERROR(fill(writer));
  MutexLock lock(mutex_);
  if (!values.empty()) files_.emplace(next_file_++, std::move(values));
  return absl::OkStatus();
}

Status MemoryBulkStore::Read(std::string_view key,
                             const std::function<Status(std::string_view value)>& use) {
  std::string value;
  {
    MutexLock lock(mutex_);
    const auto file =
        std::ranges::find_if(files_, [&](const auto& entry) { return entry.second.contains(key); });
    if (file == files_.end()) return NotFound({.message = "no such key in the bulk store"});
    value = file->second.find(key)->second;
  }
  return use(value);
}

Status MemoryBulkStore::DropFiles(std::string_view begin, std::string_view end) {
  MutexLock lock(mutex_);
  std::erase_if(files_, [&](const auto& entry) {
    return entry.second.begin()->first >= begin && entry.second.rbegin()->first < end;
  });
  return absl::OkStatus();
}

StatusOr<std::vector<BulkStore::TableFile>> MemoryBulkStore::Files() {
  std::vector<TableFile> files;
  MutexLock lock(mutex_);
  for (const auto& [number, values] : files_) {
    TableFile file{.name = std::to_string(number),
                   .smallest_key = values.begin()->first,
                   .largest_key = values.rbegin()->first};
    for (const auto& [key, value] : values) file.bytes += static_cast<int64_t>(value.size());
    files.push_back(std::move(file));
  }
  std::ranges::sort(files, {}, &TableFile::smallest_key);
  return files;
}

void MemoryBulkStore::FailWrites(std::function<Status()> before_ingest) {
  MutexLock lock(mutex_);
  before_ingest_ = std::move(before_ingest);
}

int64_t MemoryBulkStore::Damage(std::string_view prefix) {
  int64_t damaged = 0;
  MutexLock lock(mutex_);
  for (auto& [number, values] : files_) {
    auto& [key, value] = *values.begin();
    if (!std::string_view(key).starts_with(prefix) || value.empty()) continue;
    value[0] = static_cast<char>(value[0] ^ 1);
    ++damaged;
  }
  return damaged;
}

}  // namespace dl::storage
