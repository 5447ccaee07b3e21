// Documents of each kind and version, as former builds or users wrote them:
// documents/KIND/VERSION.json or VERSION-what.json. VERSION is "none" if the document names no
// version. NAME.present.json is what NAME.json reads as, in the present version. Without it,
// NAME.json reads as itself. Files never change; a new version may add .present.json files.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include "base/checksum.h"
#include "job/job_spec.h"
#include "master/core/record_keys.h"
#include "master/core/records/job_record.h"
#include "master/core/records/log_record.h"
#include "master/core/records/stored_documents.h"
#include "master/history.h"
#include "master/job_definition.h"
#include "master/store_recovery.h"
#include "storage/memory_meta_store.h"
#include "tests/golden/document_kinds.h"
#include "tests/support/folder_content.h"
#include "tests/support/status_matchers.h"

namespace dl {
namespace {

namespace fs = std::filesystem;
using golden::KindRow;
using golden::Kinds;
using test::IsError;

std::string FolderOf(const DocumentKind& kind) {
  std::string name(kind.name());
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

struct Golden {
  std::string path;     // for example "job_spec/1-stored.json"
  std::string text;     // as it would be stored: without the last newline of the file
  int64_t version = 1;  // from the name of the file
  bool says_version = false;
  Json expected;
};

std::string TextOf(const fs::path& file) {
  std::string text = test::Content(file.string());
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

// Returns the version in a name: 1 for "1-stored", 0 for "none". -1: neither form.
int64_t VersionIn(const std::string& name) {
  const std::string word = name.substr(0, name.find('-'));
  if (word == "none") return 0;
  int64_t version = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), version);
  return error == std::errc() && end == word.data() + word.size() && version > 0 ? version : -1;
}

std::vector<Golden> DocumentsOf(const DocumentKind& kind) {
  const fs::path folder = fs::path(DL_GOLDEN_DOCUMENTS) / FolderOf(kind);
  std::vector<fs::path> files;
  if (fs::is_directory(folder)) {
    for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Golden> found;
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    const std::string path = folder.filename().string() + "/" + name;
    constexpr std::string_view kPresent = ".present.json", kEnd = ".json";
    if (name.ends_with(kPresent)) {
      const std::string of = name.substr(0, name.size() - kPresent.size()) + ".json";
      EXPECT_TRUE(fs::exists(folder / of)) << path << " belongs to no document";
      continue;
    }
    const std::string stem = name.substr(0, name.size() - kEnd.size());
    const int64_t version = name.ends_with(kEnd) ? VersionIn(stem) : -1;
    EXPECT_GE(version, 0) << path << " is neither VERSION.json nor VERSION-what.json";
    if (version < 0) continue;
    Golden golden{.path = path,
                  .text = TextOf(file),
                  .version = std::max<int64_t>(1, version),
                  .says_version = version > 0};
    const fs::path present = folder / (stem + std::string(kPresent));
    golden.expected = Json::parse(fs::exists(present) ? TextOf(present) : golden.text);
    found.push_back(std::move(golden));
  }
  return found;
}

template <typename Visit>
void ForEachDocument(Visit visit) {
  for (const KindRow& row : Kinds()) {
    for (const Golden& golden : DocumentsOf(*row.kind)) {
      SCOPED_TRACE(golden.path);
      visit(row, golden);
    }
  }
}

// ---- Completeness ----

// Returns the names of all DocumentKind constants in the sources.
std::set<std::string> KindsInTheSources() {
  std::set<std::string> names;
  constexpr std::string_view kDeclared = "constexpr DocumentKind ";
  for (const auto& folder : fs::directory_iterator(DL_SOURCE_ROOT)) {
    const std::string name = folder.path().filename().string();
    if (!folder.is_directory() || name.starts_with(".") || name == "build" || name == "tests")
      continue;
    for (const auto& file : fs::recursive_directory_iterator(folder)) {
      if (file.path().extension() != ".h" && file.path().extension() != ".cc") continue;
      const std::string text = test::Content(file.path().string());
      for (size_t at = text.find(kDeclared); at != std::string::npos;
           at = text.find(kDeclared, at + 1)) {
        const size_t begin = at + kDeclared.size();
        names.insert(text.substr(begin, text.find('(', begin) - begin));
      }
    }
  }
  return names;
}

TEST(GoldenDocuments, EveryKindIsListed) {
  std::set<std::string> rows, folders;
  for (const KindRow& row : Kinds()) {
    rows.insert(row.constant);
    folders.insert(FolderOf(*row.kind));
  }
  for (const std::string& kind : KindsInTheSources())
    EXPECT_TRUE(rows.erase(kind)) << kind << " has no row in Kinds()";
  EXPECT_TRUE(rows.empty()) << *rows.begin() << " was not found in the sources";
  for (const auto& entry : fs::directory_iterator(DL_GOLDEN_DOCUMENTS))
    EXPECT_TRUE(folders.contains(entry.path().filename().string()))
        << entry.path() << " is the folder of no kind";
}

TEST(GoldenDocuments, EveryVersionOfEveryKindHasADocument) {
  for (const KindRow& row : Kinds()) {
    std::set<int64_t> versions;  // 0: names no version
    for (const Golden& golden : DocumentsOf(*row.kind))
      versions.insert(golden.says_version ? golden.version : 0);
    const std::string folder = "tests/golden/documents/" + FolderOf(*row.kind) + "/";
    for (int64_t version = row.kind->oldest(); version <= row.kind->version(); ++version)
      EXPECT_TRUE(versions.erase(version)) << folder << version << ".json is missing";
    if (row.kind->oldest() == 1) {
      EXPECT_TRUE(versions.erase(0)) << folder << "none.json is missing: a document that does not "
                                     << "say its version is of version 1, for ever";
    }
    EXPECT_TRUE(versions.empty()) << folder
                                  << " has a version that is not read: " << *versions.begin();
  }
}

TEST(GoldenDocuments, FileNamesHaveVersions) {
  ForEachDocument([](const KindRow& row, const Golden& golden) {
    const Json json = Json::parse(golden.text);
    const std::string key(row.kind->key());
    ASSERT_EQ(json.contains(key), golden.says_version);
    EXPECT_EQ(json.value(key, int64_t{1}), golden.version);
  });
}

// ---- Reading ----

TEST(GoldenDocuments, EachReadsAsItsPresentDocument) {
  ForEachDocument([](const KindRow& row, const Golden& golden) {
    const auto present = row.read(Json::parse(golden.text));
    DL_ASSERT_OK(present);
    EXPECT_TRUE(*present == golden.expected)
        << "what differs: " << Json::diff(golden.expected, *present) << "\nit reads as\n"
        << present->dump(2);
    EXPECT_EQ(present->at(std::string(row.kind->key())), row.kind->version());
    // The written document must read as itself.
    const auto again = row.read(*present);
    DL_ASSERT_OK(again);
    EXPECT_EQ(*again, *present);
  });
}

// Every reader refuses impossible versions with a readable error.
TEST(GoldenDocuments, OtherVersionsAreRefused) {
  ForEachDocument([](const KindRow& row, const Golden& golden) {
    const std::string key(row.kind->key()), name(row.kind->name());
    const auto with = [&](const Json& version) {
      Json json = golden.expected;
      json[key] = version;
      return row.read(json).status();
    };
    EXPECT_THAT(with(row.kind->version() + 1),
                IsError(absl::StatusCode::kUnimplemented, "this " + name + " has " + key));
    for (const Json& version : {Json(0), Json(-1), Json(1.5), Json("1"), Json(), Json(true)})
      EXPECT_THAT(std::string(with(version).message()),
                  testing::HasSubstr(key + ": must be a whole number of at least 1"));
    if (row.kind->oldest() == 1) return;
    Json silent = golden.expected;
    silent.erase(key);
    for (const Status& status : {with(row.kind->oldest() - 1), row.read(silent).status()})
      EXPECT_THAT(std::string(status.message()),
                  testing::HasSubstr("this " + name + " has " + key));
  });
}

// ---- A job in a master's folder ----

std::string Stored(const std::string& path) { return TextOf(fs::path(DL_GOLDEN_DOCUMENTS) / path); }
std::string PathOf(master::ReportKind kind) {
  return "ended_report/4-" + master::keys::Ended("", kind).substr(7) + ".json";
}

// Returns the records of the job that the documents come from, with `spec` as its spec.
storage::MetaBatch FolderWith(const std::string& spec) {
  storage::MetaBatch batch;
  batch.Put(master::keys::Job("leaves-1"), Stored("job_record/1.json"));
  batch.Put(master::keys::Spec("leaves-1"), spec);
  batch.Put(master::keys::TrainManifest("leaves-1"), Stored("dataset_manifest/1.json"));
  batch.Put(master::keys::TestManifest("leaves-1"), Stored("dataset_manifest/1-test.json"));
  batch.Put(master::keys::LogHead("leaves-1"), Stored("log_head/1.json"));
  batch.Put(master::keys::Checkpoint("leaves-1", 4), Stored("checkpoint_record/2.json"));
  batch.Put(master::keys::Unverified("leaves-1"), Stored("unverified_record/1.json"));
  for (const master::ReportKind kind : master::kReportKinds)
    batch.Put(master::keys::Ended("leaves-1", kind), Stored(PathOf(kind)));
  for (int place = 0; place < 7; ++place)
    batch.Put(master::keys::LogRecord("leaves-1", place),
              Stored("log_record/3-0" + std::to_string(place) + ".json"));
  return batch;
}

class StoredJob : public testing::Test {
 protected:
  // Stores a running job and loads the folder as a starting master does.
  StatusOr<master::RecoveredState> Start(const std::string& spec, const std::string& record) {
    storage::MetaBatch batch = FolderWith(spec);
    batch.Put(master::keys::Job("leaves-1"), record);
    DL_RETURN_IF_ERROR(store_.Write(batch));
    return master::LoadState(store_, master::DefinitionFromDocuments);
  }
  static std::string Running() {
    Json record = Json::parse(Stored("job_record/1.json"));
    record["state"] = "RUNNING";
    return record.dump();
  }

  storage::MemoryMetaStore store_;
};

// Specs that name manifests have the form that a master stores. For each version, the master keeps
// the text and the hash that leases are compared by.
TEST_F(StoredJob, SpecOfEachVersionLoads) {
  int specs = 0;
  for (const Golden& golden : DocumentsOf(job::kJobDocument)) {
    if (Json::parse(golden.text).at("data").at("train").at("format") != "manifest") continue;
    SCOPED_TRACE(golden.path);
    ++specs;
    const auto state = Start(golden.text, Running());
    DL_ASSERT_OK(state);
    ASSERT_EQ(state->jobs.size(), 1u);
    const master::RecoveredJob& job = state->jobs[0];
    DL_ASSERT_OK(job.damage);
    EXPECT_EQ(job.definition.name, "leaves");
    EXPECT_EQ(job.definition.seed, 7u);
    EXPECT_EQ(job.definition.epochs, 2);
    EXPECT_EQ(job.definition.spec_sha256, Sha256Hex(golden.text));
    EXPECT_EQ(**store_.Get(master::keys::Spec("leaves-1")), golden.text);
    EXPECT_EQ(job.log.head.length, 7);
    EXPECT_EQ(job.checkpoints.at(0).round, 4);
    DL_EXPECT_OK(master::MaterialFromSpec(golden.text, {}));
  }
  EXPECT_GE(specs, job::kJobDocument.version() + 1)
      << "one of each version, and one that says none";
}

TEST_F(StoredJob, ReportIsUnchanged) {
  DL_ASSERT_OK(store_.Write(FolderWith(Stored("job_spec/1-stored.json"))));
  master::History history(store_, master::DefinitionFromDocuments);
  const auto report = [&](auto kind) { return *history.Report(kind, "leaves-1", Instant::Max()); };
  for (const master::ReportKind kind : master::kReportKinds)
    EXPECT_EQ(Json::parse(report(kind)), Json::parse(Stored(PathOf(kind))).at("report"));
  // Without the reports, the records are read. Without the log's head, the whole log is read.
  const std::string state = Json::parse(report(master::ReportKind::kResult)).at("state_sha256");
  for (const std::string& key :
       {master::keys::EndedPrefix("leaves-1"), master::keys::LogHead("leaves-1")}) {
    storage::MetaBatch batch;
    batch.DeletePrefix(key);
    DL_ASSERT_OK(store_.Write(batch));
    EXPECT_EQ(Json::parse(report(master::ReportKind::kResult)).at("state_sha256"), state);
  }
}

// A newer document is not damage of one job: the folder belongs to a newer build.
TEST_F(StoredJob, NewerDocumentIsRefusedUnchanged) {
  const auto newer = [](const std::string& text, const char* key) {
    Json json = Json::parse(text);
    json[key] = json.at(key).get<int64_t>() + 1;
    return json.dump();
  };
  const std::string spec = Stored("job_spec/1-stored.json");
  EXPECT_THAT(Start(newer(spec, "format"), Running()),
              IsError(absl::StatusCode::kUnimplemented, "this job spec has format"));
  EXPECT_THAT(Start(spec, newer(Running(), "format")),
              IsError(absl::StatusCode::kUnimplemented, "job/leaves-1.format: this job record"));
  for (const auto& [key, path] :
       {std::pair(master::keys::LogHead("leaves-1"), "log_head/1.json"),
        std::pair(master::keys::LogRecord("leaves-1", 5), "log_record/3-05.json"),
        std::pair(master::keys::Checkpoint("leaves-1", 4), "checkpoint_record/2.json"),
        std::pair(master::keys::Unverified("leaves-1"), "unverified_record/1.json")}) {
    storage::MetaBatch batch = FolderWith(spec);
    batch.Put(master::keys::Job("leaves-1"), Running());
    batch.Put(key, newer(Stored(path), "format"));
    DL_ASSERT_OK(store_.Write(batch));
    EXPECT_THAT(master::LoadState(store_, master::DefinitionFromDocuments),
                IsError(absl::StatusCode::kUnimplemented, "Use a newer build"))
        << path;
    EXPECT_FALSE(store_.Get(master::keys::kTerm)->has_value());
  }
}

// A manifest is named by the hash of its stored text, which may differ from what is written today.
TEST_F(StoredJob, ManifestIsNamedByHashOfText) {
  Json spec = Json::parse(Stored("job_spec/1-stored.json"));
  const std::string silent = Stored("dataset_manifest/none.json");
  const auto definition = [&] {
    return master::DefinitionFromDocuments("leaves-1", spec.dump(), silent,
                                           Stored("dataset_manifest/1-test.json"));
  };
  EXPECT_THAT(definition(), IsError(absl::StatusCode::kInvalidArgument,
                                    "the manifest does not match the hash in the job spec"));
  spec["data"]["train"]["sha256"] = Sha256Hex(silent);
  DL_EXPECT_OK(definition());
}

}  // namespace
}  // namespace dl
