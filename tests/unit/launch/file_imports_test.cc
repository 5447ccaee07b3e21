// Files of clients, imported by scripts that stand for dl-submit.
#include "launch/import/file_imports.h"

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/mutex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "launch/import/received_body.h"
#include "storage/free_space.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::launch {
namespace {

namespace fs = std::filesystem;
using test::IsError;
using test::IsOk;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr auto kTimeout = std::chrono::minutes(2);
const security::Identity kAnn{.owner = "ann", .role = security::Role::kSubmit, .token = "a"};
const security::Identity kBob{.owner = "bob", .role = security::Role::kSubmit, .token = "b"};

TEST(ReceivedFile, NamesThatAreFormatsAreAccepted) {
  for (const char* name : {"a.csv", "A.CSV", "a.tsv.gz", "a.data.zst", "a.libsvm", "x.npz", "1.txt",
                           "p.zip", "p.tar.gz"})
    EXPECT_THAT(CheckReceivedFile(name, {}), IsOk()) << name;
  const std::string longest = std::string(124, 'a') + ".csv";
  EXPECT_THAT(CheckReceivedFile(longest, {}), IsOk());
  EXPECT_THAT(CheckReceivedFile("a" + longest, {}), Not(IsOk()));
}

// A document could name other files of the master, a pattern too, and a program would be started.
TEST(ReceivedFile, OtherNamesAreRefused) {
  for (const char* name : {"",           "a.json",    "a.json.gz", "job",
                           "a.sh",       "../a.csv",  "b/a.csv",   ".csv",
                           "-a.csv",     "*.csv",     "a?.csv",    "[a].csv",
                           "~a.csv",     "a\n.csv",   "a\xff.csv", "train-images-idx3-ubyte",
                           "x-idx1.csv", "a.npy",     "a.bin",     "a.7z",
                           "a.png",      "a.parquet", "a.csv.xz"}) {
    EXPECT_THAT(CheckReceivedFile(name, {}), IsError(absl::StatusCode::kInvalidArgument, ""))
        << name;
  }
}

TEST(ReceivedFile, WeightsOfOtherFilesAreRefused) {
  EXPECT_THAT(CheckReceivedFile("a.csv", {{"example-weights", "w"}}), IsOk());
  EXPECT_THAT(CheckReceivedFile("a.npz", {{"example-weights", "w"}}), IsOk());
  EXPECT_THAT(CheckReceivedFile("a.zip", {{"example-weights", "/etc/passwd"}}), Not(IsOk()));
  EXPECT_THAT(CheckReceivedFile("a.svm", {{"example-weights", "/etc/passwd"}}), Not(IsOk()));
}

class FileImportsTest : public testing::Test {
 protected:
  // Opens the imports with a shell script as program.
  void Open(const std::string& script, int64_t left_free = 0) {
    const std::string path = folder_ / "program";
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(path, fs::perms::owner_all);
    auto imports = FileImports::Open({.program = path,
                                      .data_dir = folder_.path(),
                                      .max_file_bytes = 1 << 20,
                                      .left_free = left_free});
    ASSERT_THAT(imports, IsOk());
    imports_ = *std::move(imports);
  }
  StatusOr<std::shared_ptr<web::BodySink>> Receive(const security::Identity& caller) {
    return imports_->Receive(
        {.caller = caller, .client = caller.token, .file = "t.csv", .bytes = 4});
  }
  // Sends a file when the token may, and returns the id of its import.
  std::string Send(const security::Identity& caller) {
    StatusOr<std::shared_ptr<web::BodySink>> sink = Receive(caller);
    Await([&] { return sink.ok() || (sink = Receive(caller)).ok(); });
    EXPECT_THAT((*sink)->Write("a,b\n"), IsOk());
    const auto document = (*sink)->Finish();
    EXPECT_THAT(document, IsOk());
    return Json::parse(document.value_or("{}")).value("import", std::string());
  }
  Json Show(const std::string& id) {
    const auto document = imports_->Show(id, kAnn);
    EXPECT_THAT(document, IsOk());
    return Json::parse(document.value_or("{}"));
  }
  // Returns the document of an import that has ended.
  Json Ended(const std::string& id) {
    Json document;
    Await([&] {
      document = Show(id);
      return document["state"] == "FAILED" || document["state"] == "SUCCEEDED";
    });
    return document;
  }
  template <typename Condition>
  static void Await(Condition condition) {
    Mutex mutex;
    CondVar never;  // other processes do not report when they are done
    const Instant end = Clock::Real().Now() + kTimeout;
    while (!condition()) {
      ASSERT_LT(Clock::Real().Now(), end);
      MutexLock lock(mutex);
      never.WaitFor(mutex, std::chrono::milliseconds(2));
    }
  }
  bool HasFiles() const { return !fs::is_empty(folder_ / "uploads"); }

  const test::TempFolder folder_;
  std::unique_ptr<FileImports> imports_;
};

constexpr char kFails[] =
    R"(echo '{"type":"result","error":{"code":"not_found","message":"in '"$2"'","where":"","remedy":"r"}}')"
    "\nexit 66";
constexpr char kStays[] = "exec sleep 100000";

constexpr int64_t kMoreThanAnyDisk = INT64_MAX / 8;

TEST_F(FileImportsTest, FilesLeaveSpaceForTheStores) {
  Open(kStays, kMoreThanAnyDisk);
  const auto sink = Receive(kAnn);
  ASSERT_THAT(sink, IsOk());
  EXPECT_THAT((*sink)->Write("a,b\n"),
              IsError(absl::StatusCode::kResourceExhausted, "too little for this file"));
}

// The disk may become full while a file arrives, or while its temporary files grow.
TEST(UploadSpace, IsCheckedWhileFilesArrive) {
  const test::TempFolder folder;
  const auto free = storage::FreeBytes(folder.path());
  ASSERT_THAT(free, IsOk());
  ReceivedBody body({.folder = folder / "uploads",
                     .name = "t.csv",
                     .bytes = 1,
                     .left_free = *free - (2 << 20),
                     .received = [] { return std::string(); },
                     .discarded = [] {}});
  EXPECT_THAT(body.Write("a"), IsOk());
  EXPECT_THAT(body.Write(std::string(4 << 20, 'a')),
              IsError(absl::StatusCode::kResourceExhausted, "too little for this file"));
}

TEST(UploadSpace, ImportIsKilledIfTheDiskFillsUp) {
  const test::TempFolder folder;
  const std::string program = folder / "program";
  std::ofstream(program) << "#!/bin/sh\n" << kStays << "\n";
  fs::permissions(program, fs::perms::owner_all);
  auto process = ImportProcess::Start(
      {.program = program, .data_dir = folder.path(), .max_written_bytes = 1 << 20},
      {.folder = folder.path(), .name = "t.csv"});
  ASSERT_THAT(process, IsOk());
  UploadSpaceWatch roomy(**process, folder.path(), 0);
  EXPECT_FALSE(roomy.Stop());
  UploadSpaceWatch full(**process, folder.path(), kMoreThanAnyDisk);
  EXPECT_THAT((*process)->Wait(), Not(IsOk()));
  EXPECT_TRUE(full.Stop());
}

TEST_F(FileImportsTest, FilesOfAnEarlierProcessAreDeleted) {
  fs::create_directories(folder_ / "uploads/1/2");
  std::ofstream(folder_ / "uploads/1/t.csv") << "x";
  Open(kFails);
  EXPECT_FALSE(HasFiles());
}

TEST_F(FileImportsTest, ErrorOfTheProcessNamesTheFileWithoutItsFolder) {
  Open(kFails);
  const Json document = Ended(Send(kAnn));
  EXPECT_EQ(document["error"]["code"], "not_found");
  EXPECT_EQ(document["error"]["message"], "in t.csv");
  EXPECT_EQ(document["error"]["remedy"], "r");
  EXPECT_EQ(document["owner"], "ann");
  Await([&] { return !HasFiles(); });
}

TEST_F(FileImportsTest, ProcessThatIsKilledOrReportsNothingIsAnError) {
  for (const char* script : {"kill -9 $$", "kill -XFSZ $$", "exit 0", "exit 3"}) {
    Open(script);
    const Json document = Ended(Send(kAnn));
    EXPECT_EQ(document["error"]["code"], "resource_exhausted") << script;
    EXPECT_THAT(document["error"]["remedy"], HasSubstr("dl-submit import")) << script;
  }
}

TEST_F(FileImportsTest, ProcessHasLimitsAndTheLowestPriority) {
  Open(R"sh(until [ "$(ulimit -t)" = 3600 ] && [ "$(nice)" = 19 ]; do :; done
echo '{"type":"result","error":{"message":"'"$(ulimit -d) $(ulimit -f) $(ulimit -c) $TMPDIR"'"}}'
exit 1)sh");
  const std::string id = Send(kAnn);
  // KiB of memory, and blocks of 512 bytes of a file.
  EXPECT_EQ(Ended(id)["error"]["message"],
            absl::StrCat("1048576 8192 0 ", folder_.path(), "/uploads/", id));
}

TEST_F(FileImportsTest, TokenHasOneFileAndFourTokensHaveFiles) {
  Open(kStays);
  std::vector<std::shared_ptr<web::BodySink>> sinks;
  for (const char* token : {"1", "2", "3", "4"}) {
    security::Identity caller = kAnn;
    caller.token = token;
    auto sink = Receive(caller);
    ASSERT_THAT(sink, IsOk());
    sinks.push_back(*sink);
    EXPECT_THAT(Receive(caller), IsError(absl::StatusCode::kResourceExhausted, "")) << token;
  }
  EXPECT_THAT(Receive(kBob), IsError(absl::StatusCode::kResourceExhausted, ""));
  sinks.pop_back();  // the connection has broken off
  Await([&] { return Receive(kBob).ok(); });
}

TEST_F(FileImportsTest, WaitingImportAndRunningImportCanBeRemoved) {
  Open(kStays);
  const std::string running = Send(kAnn);
  Await([&] { return Show(running)["state"] == "RUNNING"; });
  const std::string waiting = Send(kBob);
  EXPECT_THAT(imports_->Show(waiting, kAnn), IsError(absl::StatusCode::kNotFound, ""));
  EXPECT_THAT(imports_->Remove(running, kBob), IsError(absl::StatusCode::kNotFound, ""));
  EXPECT_THAT(imports_->Remove(waiting, kBob), IsOk());
  EXPECT_THAT(imports_->Show(waiting, kBob), IsError(absl::StatusCode::kNotFound, ""));
  EXPECT_THAT(imports_->Data(running, kAnn), IsError(absl::StatusCode::kFailedPrecondition, ""));
  EXPECT_THAT(imports_->Remove(running, kAnn), IsOk());
  Await([&] { return !HasFiles(); });
  EXPECT_EQ(imports_->List(kAnn), R"({"imports":[]})");
}

TEST_F(FileImportsTest, FewEndedImportsAreKept) {
  Open(kFails);
  std::string first;
  for (size_t i = 0; i <= kMaxEndedImportsOfToken; ++i) {
    const std::string id = Send(kAnn);
    if (i == 0) first = id;
    EXPECT_EQ(Ended(id)["state"], "FAILED");
  }
  Await([&] { return !HasFiles(); });
  Await([&] { return !imports_->Show(first, kAnn).ok(); });
  EXPECT_EQ(Json::parse(imports_->List(kAnn))["imports"].size(), kMaxEndedImportsOfToken);
}

TEST_F(FileImportsTest, StopEndsTheImportAndDeletesAllFiles) {
  Open(kStays);
  const std::string id = Send(kAnn);
  Await([&] { return Show(id)["state"] == "RUNNING"; });
  const auto half = Receive(kBob);
  ASSERT_THAT(half, IsOk());
  EXPECT_THAT((*half)->Write("a"), IsOk());
  imports_->Stop();
  EXPECT_FALSE(fs::exists(folder_ / "uploads"));
  EXPECT_THAT(Receive(kAnn), IsError(absl::StatusCode::kUnavailable, ""));
}

TEST_F(FileImportsTest, EmptyFileIsRefused) {
  Open(kFails);
  auto sink = Receive(kAnn);
  ASSERT_THAT(sink, IsOk());
  EXPECT_THAT((*sink)->Finish(), IsError(absl::StatusCode::kInvalidArgument, ""));
  sink->reset();
  Await([&] { return Receive(kAnn).ok(); });
}

}  // namespace
}  // namespace dl::launch
