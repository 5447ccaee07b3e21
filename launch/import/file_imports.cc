#include "launch/import/file_imports.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/closed_folder.h"
#include "base/error_json.h"
#include "base/json.h"
#include "base/log.h"
#include "base/system_error.h"
#include "base/unique.h"
#include "launch/import/received_body.h"
#include "rpc/remedy_text.h"

namespace dl::launch {
namespace {

namespace fs = std::filesystem;

// Temporary files may be this many times as large as the largest file that a client may send. The
// features of a file of text or of a compressed file are larger than the file.
constexpr int64_t kLargestGrowth = 4;

std::string UploadsFolder(const std::string& data_dir) { return data_dir + "/uploads"; }

Status Stopping() {
  return Unavailable({.message = "the master stops", .remedy = "Send the file again later"});
}

}  // namespace

Status DeleteReceivedFiles(const std::string& data_dir) {
  const std::string folder = UploadsFolder(data_dir);
  std::error_code error;
  fs::remove_all(folder, error);
  if (error) return SystemError(error.value(), "delete earlier uploads in", folder);
  return absl::OkStatus();
}

StatusOr<std::unique_ptr<FileImports>> FileImports::Open(Options options) {
  DL_RETURN_IF_ERROR(DeleteReceivedFiles(options.data_dir));
  DL_RETURN_IF_ERROR(CreateClosedFolder(UploadsFolder(options.data_dir)));
  return std::unique_ptr<FileImports>(new FileImports(std::move(options)));
}

FileImports::FileImports(Options options)
    : options_(std::move(options)), deleting_(std::make_unique<WorkerThread>("upload-delete")) {
  importing_ = Thread("imports", [this] {
    while (const auto work = AwaitWork()) End(work->number, RunImport(*work));
  });
}

void FileImports::Stop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    if (running_ != nullptr) running_->Kill();
    changed_.NotifyAll();
  }
  importing_.Join();
  deleting_.reset();
  std::error_code ignored;  // the next start deletes what remains
  fs::remove_all(UploadsFolder(options_.data_dir), ignored);
}

std::string FileImports::FolderOf(const Import& import) const {
  return absl::StrCat(UploadsFolder(options_.data_dir), "/", import.id);
}

StatusOr<std::shared_ptr<web::BodySink>> FileImports::Receive(const web::ImportRequest& request) {
  DL_RETURN_IF_ERROR(CheckReceivedFile(request.file, request.flags));
  DL_ASSIGN_OR_RETURN(const uint64_t unique, UniqueNumber());
  MutexLock lock(mutex_);
  if (stopping_) return Stopping();
  size_t files = 0;
  for (const auto& [number, import] : imports_) {
    if (!import.has_folder) continue;
    ++files;
    if (import.request.client != request.client) continue;
    return ResourceExhausted(
        {.message = absl::StrCat("the file ", import.request.file,
                                 " of the same token is being sent or imported"),
         .where = "import",
         .remedy = "Wait until its import has ended, or cancel it by DELETE"});
  }
  if (files >= kMaxReceivedFiles) {
    return ResourceExhausted({.message = "other clients send files or wait for their imports",
                              .where = "import",
                              .remedy = "Try again later"});
  }
  const uint64_t number = ++last_;
  Import import{.id = absl::StrCat(absl::Hex(unique, absl::kZeroPad16)), .request = request};
  auto sink = std::make_shared<ReceivedBody>(
      ReceivedBody::Options{.folder = FolderOf(import),
                            .name = request.file,
                            .bytes = request.bytes,
                            .left_free = options_.left_free,
                            .received = [this, number] { return Enqueue(number); },
                            .discarded =
                                [this, number] {
                                  MutexLock locked(mutex_);
                                  DeleteFiles(number);
                                }});
  imports_.emplace(number, std::move(import));
  return sink;
}

StatusOr<std::string> FileImports::Enqueue(uint64_t number) {
  MutexLock lock(mutex_);
  Import& import = imports_.at(number);
  if (stopping_) {
    DeleteFiles(number);
    return Stopping();
  }
  import.state = State::kWaiting;
  import.received_unix_ms = Clock::Real().WallUnixMs();
  changed_.NotifyAll();
  return JsonText(Document(import));
}

std::optional<FileImports::Work> FileImports::AwaitWork() {
  MutexLock lock(mutex_);
  while (!stopping_) {
    for (auto& [number, import] : imports_) {
      if (import.state != State::kWaiting) continue;
      import.state = State::kRunning;
      return Work{.number = number,
                  .file = {.folder = FolderOf(import),
                           .name = import.request.file,
                           .flags = import.request.flags}};
    }
    changed_.Wait(mutex_);
  }
  return std::nullopt;
}

StatusOr<ImportOutcome> FileImports::RunImport(const Work& work) {
  DL_ASSIGN_OR_RETURN(
      const std::unique_ptr<ImportProcess> process,
      ImportProcess::Start({.program = options_.program,
                            .data_dir = options_.data_dir,
                            .max_written_bytes = options_.max_file_bytes * kLargestGrowth},
                           work.file));
  {
    MutexLock lock(mutex_);
    running_ = process.get();
    if (stopping_ || imports_.at(work.number).is_removed) process->Kill();
  }
  UploadSpaceWatch watch(*process, work.file.folder, options_.left_free);
  StatusOr<ImportOutcome> outcome = process->Wait();
  if (watch.Stop()) {
    outcome = ResourceExhausted(
        {.message = "the import needs more space than the disk of the master has for it",
         .where = "import",
         .remedy = "Import the file by dl-submit import on your machine, or send a smaller one"});
  }
  MutexLock lock(mutex_);
  running_ = nullptr;
  return outcome;
}

void FileImports::End(uint64_t number, StatusOr<ImportOutcome> outcome) {
  MutexLock lock(mutex_);
  Import& import = imports_.at(number);
  if (outcome.ok()) {
    import.state = State::kSucceeded;
    import.sets = JsonText(outcome->sets);
    import.data = std::move(outcome->data);
  } else {
    import.state = State::kFailed;
    import.error = outcome.status();
  }
  DeleteFiles(number);
}

void FileImports::DeleteFiles(uint64_t number) {
  if (stopping_) return;  // Stop deletes all files
  const std::string folder = FolderOf(imports_.at(number));
  deleting_->Post([this, number, folder] {
    std::error_code error;
    fs::remove_all(folder, error);
    if (error) LogWarning("cannot delete ", folder, ": ", error.message());
    MutexLock lock(mutex_);
    Import& import = imports_.at(number);
    import.has_folder = false;
    if (!import.has_ended() || import.is_removed) imports_.erase(number);
    ForgetOldest();
  });
}

void FileImports::ForgetOldest() {
  size_t ended = 0;
  std::map<std::string, size_t> of_client;
  std::vector<uint64_t> forgotten;
  for (auto entry = imports_.rbegin(); entry != imports_.rend(); ++entry) {
    const Import& import = entry->second;
    if (!import.has_ended() || import.has_folder) continue;
    ++ended;
    if (++of_client[import.request.client] > kMaxEndedImportsOfToken || ended > kMaxEndedImports)
      forgotten.push_back(entry->first);
  }
  for (const uint64_t number : forgotten) imports_.erase(number);
}

Json FileImports::Document(const Import& import, Sets sets) {
  const auto state = [&] {
    switch (import.state) {
      case State::kReceiving:
      case State::kWaiting:
        return "WAITING";
      case State::kRunning:
        return "RUNNING";
      case State::kSucceeded:
        return "SUCCEEDED";
      case State::kFailed:
        return "FAILED";
    }
    return "";
  };
  Json json = {{"import", import.id},
               {"owner", import.request.caller.owner},
               {"file", import.request.file},
               {"bytes", import.request.bytes},
               {"state", state()},
               {"received_unix_ms", import.received_unix_ms}};
  if (!import.sets.empty() && sets == Sets::kWithSets) json["sets"] = Json::parse(import.sets);
  if (!import.error.ok()) json["error"] = ErrorToJson(rpc::WithRemedyText(import.error));
  return json;
}

bool FileImports::MaySee(const Import& import, const security::Identity& caller) {
  if (import.state == State::kReceiving || import.is_removed) return false;
  return caller.role == security::Role::kAdmin || caller.owner == import.request.caller.owner;
}

std::string FileImports::List(const security::Identity& caller) const {
  MutexLock lock(mutex_);
  Json list = Json::array();
  for (auto entry = imports_.rbegin(); entry != imports_.rend(); ++entry) {
    const Import& import = entry->second;
    if (MaySee(import, caller)) list.push_back(Document(import, Sets::kWithoutSets));
  }
  return JsonText({{"imports", std::move(list)}});
}

StatusOr<uint64_t> FileImports::Find(const std::string& id,
                                     const security::Identity& caller) const {
  for (const auto& [number, import] : imports_) {
    if (import.id == id && MaySee(import, caller)) return number;
  }
  return NotFound({.message = absl::StrCat("there is no import ", id),
                   .where = "import",
                   .remedy = "List yours with GET /api/v1/imports, or send the file again; a "
                             "restart of the master forgets all imports"});
}

StatusOr<std::string> FileImports::Show(const std::string& id,
                                        const security::Identity& caller) const {
  MutexLock lock(mutex_);
  DL_ASSIGN_OR_RETURN(const uint64_t number, Find(id, caller));
  return JsonText(Document(imports_.at(number)));
}

StatusOr<std::string> FileImports::Remove(const std::string& id, const security::Identity& caller) {
  MutexLock lock(mutex_);
  DL_ASSIGN_OR_RETURN(const uint64_t number, Find(id, caller));
  Import& import = imports_.at(number);
  std::string document = JsonText(Document(import));
  import.is_removed = true;
  if (import.state == State::kWaiting) {
    import.state = State::kFailed;
    DeleteFiles(number);
  } else if (import.state == State::kRunning && running_ != nullptr) {
    running_->Kill();
  } else if (import.has_ended() && !import.has_folder) {
    imports_.erase(number);
  }
  return document;
}

StatusOr<web::ImportedData> FileImports::Data(const std::string& id,
                                              const security::Identity& caller) const {
  MutexLock lock(mutex_);
  DL_ASSIGN_OR_RETURN(const uint64_t number, Find(id, caller));
  const Import& import = imports_.at(number);
  if (import.state == State::kSucceeded) return import.data;
  if (import.state == State::kFailed) return import.error;
  return FailedPrecondition({.message = "the import has not ended",
                             .where = "import",
                             .remedy = "Wait until its state is SUCCEEDED"});
}

}  // namespace dl::launch
