#include "launch/import/import_process.h"

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/error_json.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/system_error.h"
#include "dataset/readers/image/image_archive.h"
#include "job/dataset_spec.h"
#include "launch/import/known_manifest.h"

namespace dl::launch {
namespace {

constexpr size_t kMaxName = 128;
constexpr int64_t kMaxOutput = int64_t{4} << 20;    // bytes of the printed documents
constexpr int64_t kMaxManifest = int64_t{2} << 20;  // bytes; of about 19,000 blocks
constexpr char kMemoryForRows[] = "256M";
constexpr char kTrainManifest[] = "train.manifest", kTestManifest[] = "test.manifest";

bool EndsWithOne(std::string_view name, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(endings,
                             [&](std::string_view ending) { return name.ends_with(ending); });
}

// Returns the name in lower case without the ending of a compression.
std::string PlainName(const std::string& name) {
  std::string plain = absl::AsciiStrToLower(name);
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (plain.ends_with(packed)) plain.resize(plain.size() - packed.size());
  }
  return plain;
}

Status WrongName(const std::string& name) {
  return InvalidArgument(
      {.message = name.empty() ? "the address does not name the file"
                               : absl::StrCat("a file cannot have the name ", name, " here"),
       .where = "file",
       .remedy = "Add ?file=NAME with letters, digits and . _ - such as train.csv"});
}

// Returns an error if a flag names a file of weights.
Status CheckNoWeightsFile(const std::vector<std::pair<std::string, std::string>>& flags) {
  const bool has_weights =
      std::ranges::any_of(flags, [](const auto& flag) { return flag.first == "example-weights"; });
  if (!has_weights) return absl::OkStatus();
  return InvalidArgument({.message = "example_weights is for tables and .npz files",
                          .where = "example_weights",
                          .remedy = "Import data with a file of weights by dl-submit import"});
}

// Returns the error of a process that ended without reporting one.
Status EndedWithoutReason(const ExitStatus& ended) {
  const std::string_view limit = ended.signal == SIGXCPU   ? "processor time"
                                 : ended.signal == SIGXFSZ ? "disk space"
                                                           : "memory or time";
  return ResourceExhausted(
      {.message = absl::StrCat("the import ", ToString(ended), ": it needed more ",
                               std::string(limit), " than an import may use"),
       .where = "import",
       .remedy = "Import the file by dl-submit import on your machine, or send a smaller one"});
}

}  // namespace

Status CheckReceivedFile(const std::string& name,
                         const std::vector<std::pair<std::string, std::string>>& flags) {
  const bool is_plain = !name.empty() && name.size() <= kMaxName && name.front() != '.' &&
                        name.front() != '-' && std::ranges::all_of(name, [](char c) {
                          return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '-';
                        });
  if (!is_plain) return WrongName(name);
  const std::string plain = PlainName(name);
  const bool is_idx =
      plain.find("-idx") != std::string::npos || plain.find(".idx") != std::string::npos;
  const bool is_table =
      EndsWithOne(plain, {".csv", ".tsv", ".tab", ".psv", ".data", ".dat", ".txt"});
  const bool is_arrays = plain.ends_with(".npz");
  if (dataset::IsImageArchive(name) && !is_idx) return CheckNoWeightsFile(flags);
  if (is_idx ||
      (!is_table && !is_arrays && !EndsWithOne(plain, {".libsvm", ".svm", ".svmlight"}))) {
    return InvalidArgument(
        {.message = absl::StrCat("a master cannot import a file with the name ", name),
         .where = "file",
         .remedy =
             "Send a table (.csv, .tsv), .libsvm, .npz or an archive of images (.zip, .tar), or "
             "use dl-submit import"});
  }
  return is_table || is_arrays ? absl::OkStatus() : CheckNoWeightsFile(flags);
}

StatusOr<std::unique_ptr<ImportProcess>> ImportProcess::Start(const Options& options,
                                                              ReceivedFile file) {
  const std::string folder = file.folder + "/";
  SpawnOptions spawn{.argv = {options.program, "import", folder + file.name, "--json",
                              // The settings of the master's user must not select another master.
                              "--master", "local[1]", "--data-dir", options.data_dir, "--memory",
                              kMemoryForRows, "--output", folder + kTrainManifest},
                     .env = {"TMPDIR=" + file.folder},
                     .out = ChildOutput::Pipe(),
                     .err = ChildOutput::Discard()};
  for (const auto& [name, value] : file.flags) {
    if (name == "test-fraction")
      spawn.argv.insert(spawn.argv.end(), {"--test-output", folder + kTestManifest});
    // A flag and its value are one argument, because a value may begin with a dash.
    spawn.argv.push_back(value.empty() ? absl::StrCat("--", name)
                                       : absl::StrCat("--", name, "=", value));
  }
  DL_ASSIGN_OR_RETURN(std::unique_ptr<ChildProcess> child, Spawner::Real().Start(spawn));
  auto process =
      std::unique_ptr<ImportProcess>(new ImportProcess(std::move(file), std::move(child)));
  DL_RETURN_IF_ERROR(process->LimitResources(options));
  return process;
}

// The limits begin a moment after the start, long before the process has read the file.
Status ImportProcess::LimitResources(const Options& options) const {
  const auto bytes = static_cast<rlim_t>(options.max_written_bytes);
  const std::pair<__rlimit_resource, rlim_t> kLimits[] = {{RLIMIT_DATA, kImportMemoryBytes},
                                                          {RLIMIT_FSIZE, bytes},
                                                          {RLIMIT_CPU, kImportCpuSeconds},
                                                          {RLIMIT_CORE, 0}};
  for (const auto& [resource, most] : kLimits) {
    const rlimit limit{.rlim_cur = most, .rlim_max = most};
    if (prlimit(child_->pid(), resource, &limit, nullptr) != 0 && errno != ESRCH)
      return SystemError(errno, "limit a process", file_.name);
  }
  constexpr int kLowest = 19;
  (void)setpriority(PRIO_PGRP, static_cast<id_t>(child_->pid()), kLowest);
  return absl::OkStatus();
}

StatusOr<std::string> ImportProcess::ManifestFile(const char* name) const {
  const std::string path = absl::StrCat(file_.folder, "/", name);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::string();
  return ReadFile(path, kMaxManifest);
}

StatusOr<ImportOutcome> ImportProcess::Wait() {
  auto output = child_->ReadAll(kImportTime, kMaxOutput);
  if (!output.ok()) {
    Kill();
    (void)child_->Wait(limits::kShutdownTimeout);
    if (!absl::IsDeadlineExceeded(output.status())) return output.status();
    return EndedWithoutReason({.signal = SIGKILL});
  }
  DL_ASSIGN_OR_RETURN(const ExitStatus ended, child_->Wait(limits::kShutdownTimeout));
  // Paths of the master's machine do not concern its clients.
  const std::string text = absl::StrReplaceAll(*output, {{file_.folder + "/", ""}});
  ImportOutcome outcome;
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    DL_ASSIGN_OR_RETURN(Json document, ParseJson(std::string(line), "import"));
    if (document.value("type", std::string()) != "result") {
      outcome.sets.push_back(std::move(document));
      continue;
    }
    return ErrorFromJson(document.value("error", Json::object()));
  }
  if (ended != ExitStatus{} || outcome.sets.empty()) return EndedWithoutReason(ended);
  web::ImportedData& data = outcome.data;
  DL_ASSIGN_OR_RETURN(data.train_manifest, ManifestFile(kTrainManifest));
  DL_ASSIGN_OR_RETURN(data.test_manifest, ManifestFile(kTestManifest));
  const auto reference = [](const std::string& manifest) -> StatusOr<Json> {
    DL_ASSIGN_OR_RETURN(const job::ManifestReference made, ReferenceTo(manifest, "import"));
    return job::ToJson(job::DatasetSpec(made));
  };
  const auto kind = [&](const char* key) {
    return outcome.sets[0].value(key, Json::object()).value("kind", std::string("none"));
  };
  Json of_spec = {{"normalizer", kind("normalizer")}};
  DL_ASSIGN_OR_RETURN(of_spec["train"], reference(data.train_manifest));
  if (!data.test_manifest.empty()) {
    DL_ASSIGN_OR_RETURN(of_spec["test"], reference(data.test_manifest));
  }
  data.data = JsonText(of_spec);
  data.target_normalizer = kind("target_normalizer");
  return outcome;
}

}  // namespace dl::launch
