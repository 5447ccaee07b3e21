#include "storage/database_files.h"

#include <algorithm>
#include <set>
#include <system_error>

#include "base/system_error.h"

namespace dl::storage {
namespace {

namespace fs = std::filesystem;

class SilentLogger final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

StatusOr<std::vector<fs::path>> FilesWith(const std::string& extension, const std::string& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  if (!fs::exists(folder, error)) return files;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == extension) files.push_back(it->path());
  }
  DL_RETURN_IF_ERROR(FromError(error, "list the files of a database", folder));
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    const std::string left = a.filename(), right = b.filename();
    return left.size() != right.size() ? left.size() < right.size() : left < right;
  });
  return files;
}

bool AllAtTheBottom(rocksdb::DB& db) {
  for (int level = 0; level + 1 < db.NumberLevels(); ++level) {
    std::string files;
    db.GetProperty(rocksdb::DB::Properties::kNumFilesAtLevelPrefix + std::to_string(level), &files);
    if (files != "0") return false;
  }
  return true;
}

}  // namespace

Status FromError(const std::error_code& error, std::string_view action, const std::string& path) {
  if (!error) return absl::OkStatus();
  return SystemError(error.value(), action, path);
}

StatusOr<std::vector<fs::path>> TableFiles(const std::string& folder) {
  return FilesWith(".sst", folder);
}

StatusOr<std::vector<fs::path>> LogFiles(const std::string& folder) {
  return FilesWith(".log", folder);
}

bool HasListOfFiles(const std::string& folder) {
  std::error_code ignored;
  return fs::exists(folder + "/CURRENT", ignored);
}

StatusOr<std::vector<fs::path>> UnlistedTables(rocksdb::DB& db, const std::string& folder) {
  std::vector<rocksdb::LiveFileMetaData> live;
  db.GetLiveFilesMetaData(&live);
  std::set<std::string> known;
  for (const rocksdb::LiveFileMetaData& file : live)
    known.insert(fs::path(file.name).filename().string());  // "/000012.sst"
  DL_ASSIGN_OR_RETURN(std::vector<fs::path> tables, TableFiles(folder));
  std::erase_if(tables,
                [&](const fs::path& table) { return known.contains(table.filename().string()); });
  return tables;
}

rocksdb::Status OpenForReading(rocksdb::Options options, const std::string& folder,
                               std::unique_ptr<rocksdb::DB>* db) {
  options.create_if_missing = false;
  options.info_log = std::make_shared<SilentLogger>();
  rocksdb::DB* raw = nullptr;
  const rocksdb::Status opened = rocksdb::DB::OpenForReadOnly(options, folder, &raw);
  db->reset(raw);
  return opened;
}

rocksdb::Status IngestTable(rocksdb::DB& db, const std::string& table) {
  rocksdb::IngestExternalFileOptions ingest;
  ingest.move_files = true;
  ingest.write_global_seqno = false;
  ingest.ingest_behind = AllAtTheBottom(db);
  if (ingest.ingest_behind) {
    const rocksdb::Status joined = db.IngestExternalFile({table}, ingest);
    if (!joined.IsInvalidArgument()) return joined;
    ingest.ingest_behind = false;  // the table overlaps an existing one
  }
  return db.IngestExternalFile({table}, ingest);
}

std::string UnusedLostFolder(const std::string& dir) {
  for (int number = 1;; ++number) {
    const std::string name = dir + "/lost-" + std::to_string(number);
    std::error_code error;
    if (!fs::exists(name, error)) return name;
  }
}

}  // namespace dl::storage
