#include "cli/jobs/job_source.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/captured_stderr.h"
#include "base/files.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/nearest_file.h"
#include "base/own_program.h"
#include "base/utf8.h"
#include "cli/data/data_file.h"
#include "cli/exit_code.h"
#include "cli/nearest_name.h"
#include "nn/conf/zoo/zoo.h"

namespace dl::cli {
namespace {

namespace fs = std::filesystem;

bool IsExecutable(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

StatusOr<std::string> ProgramFolder() {
  DL_ASSIGN_OR_RETURN(const std::string program, OwnProgram());
  return fs::path(program).parent_path().string();
}

std::vector<std::string> JobPrograms(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with("dl-") || name.starts_with("dl_") || name.ends_with("_test")) continue;
    if (IsExecutable(it->path())) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

StatusOr<JobSource> FindJob(const std::string& text, const std::string& program_folder) {
  std::error_code error;
  if (text.ends_with(".json")) {
    if (fs::exists(text, error)) return JobSource{JobSource::Kind::kFile, text};
    return NotFound(
        {.message = absl::StrCat("there is no file ", text, SuggestFile(text)),
         .where = "JOB",
         .remedy = "Check the path; a relative path starts at the working folder of the command"});
  }
  const bool is_path = text.find('/') != std::string::npos;
  const fs::path program = is_path ? fs::path(text) : fs::path(program_folder) / text;
  if (!text.empty() && IsExecutable(program))
    return JobSource{JobSource::Kind::kProgram, program.string()};
  if (HasDataName(text) && fs::is_regular_file(text, error)) {
    return NotFound(
        {.message = absl::StrCat(
             text,
             " is a data file, but JOB must be a job spec, a job program or the name of a network"),
         .where = "JOB",
         .remedy = absl::StrCat("Name it in a job spec's data.train; dl-submit import ", text,
                                " shows how it is read")});
  }
  if (!text.empty() && fs::is_regular_file(text, error) && !IsExecutable(text)) {
    return NotFound(
        {.message = absl::StrCat(text, " is neither a job program nor a job spec"),
         .where = "JOB",
         .remedy = "Make a job program executable (chmod +x), and end the name of a job spec in "
                   ".json; --train names data for a network"});
  }
  if (is_path) {
    return NotFound(
        {.message = absl::StrCat("there is no job program ", text, SuggestFile(text)),
         .where = "JOB",
         .remedy = "Give the path of a job program, or of a job spec whose name ends with .json"});
  }
  std::string meant = DidYouMeanName(text, JobPrograms(program_folder));
  if (meant.empty()) {
    std::vector<std::string> names;
    for (const nn::zoo::ZooModel& model : nn::zoo::ZooModels()) names.emplace_back(model.name);
    meant = DidYouMeanName(text, names);
  }
  if (!text.empty() && fs::is_regular_file(text + ".json", error))
    meant = absl::StrCat("; did you mean \"", text, ".json\"?");
  if (!text.empty() && IsExecutable(text))
    meant = absl::StrCat("; did you mean \"./", text, "\", which is here?");
  if (meant.empty() && text.find('.') != std::string::npos) meant = SuggestFile(text);
  return NotFound(
      {.message = absl::StrCat("there is no job program \"", text, "\"", meant),
       .where = program_folder,
       .remedy = "Give the name of a program in that folder, a path to one, or a .json file"});
}

namespace {

// Makes a relative path or pattern of a dataset, or each one in a list, begin at `folder`.
void Anchor(Json& value, const fs::path& folder) {
  if (value.is_array()) {
    for (Json& entry : value) Anchor(entry, folder);
  }
  if (!value.is_string()) return;
  const fs::path path = value.get<std::string>();
  if (path.empty() || path.is_absolute()) return;
  value = (folder / path).lexically_normal().string();
}

void AnchorDataset(Json& dataset, const fs::path& folder) {
  if (!dataset.is_object()) return;
  for (const char* key :
       {"features", "labels", "lengths", "weights", "weight_table", "path", "paths", "folder"}) {
    if (auto found = dataset.find(key); found != dataset.end()) Anchor(*found, folder);
  }
}

}  // namespace

void AnchorDataPaths(Json& document, const std::string& folder) {
  if (folder.empty() || !document.is_object()) return;
  if (auto weights = document.find("initial_weights"); weights != document.end())
    AnchorDataset(*weights, folder);
  auto data = document.find("data");
  if (data == document.end()) return AnchorDataset(document, folder);
  if (!data->is_object()) return;
  for (const char* split : {"train", "test"}) {
    if (auto found = data->find(split); found != data->end()) AnchorDataset(*found, folder);
  }
}

namespace {

// Returns the last lines of the text as ": text".
std::string Quoted(std::string said) {
  constexpr size_t kMost = 2000;
  while (!said.empty() && absl::ascii_isspace(said.back())) said.pop_back();
  if (said.size() > kMost) said = absl::StrCat("...", said.substr(said.size() - kMost));
  if (said.starts_with("error: ")) said.erase(0, 7);
  return said.empty() || !IsUtf8(said) ? "" : absl::StrCat(": ", said);
}

StatusOr<Json> RunJobProgram(const JobSource& source, Spawner& spawner, std::ostream& err) {
  const CapturedStderr said;
  SpawnOptions options{
      .argv = {source.path, "--print-job"}, .out = ChildOutput::Pipe(), .err = said.output()};
  options.argv.insert(options.argv.end(), source.arguments.begin(), source.arguments.end());
  const std::string asked = absl::StrJoin(options.argv, " ");
  DL_ASSIGN_OR_RETURN(std::unique_ptr<ChildProcess> child, spawner.Start(options));
  auto text = child->ReadAll(limits::kPrintJobTimeout, limits::kMaxJsonBytes);
  auto ended = text.ok() ? child->Wait(limits::kPrintJobTimeout) : text.status();
  if (absl::IsDeadlineExceeded(ended.status())) {
    return InvalidArgument({.message = absl::StrCat(asked, " does not end", Quoted(said.Text())),
                            .where = source.path,
                            .remedy = "Run it directly to see why it waits"});
  }
  if (!ended.ok()) return WithContext(ended.status(), asked);
  const ExitStatus end = *ended;
  if (end != ExitStatus{}) {
    return InvalidArgument(
        {.message = absl::StrCat(asked, " ", ToString(end), Quoted(said.Text())),
         .where = source.path,
         .remedy = "Correct the job program; run it directly to see the same error"});
  }
  err << said.Text() << std::flush;
  return JobAmong(*text, source.path);
}

}  // namespace

StatusOr<Json> JobAmong(const std::string& printed, const std::string& source) {
  constexpr int kMaxTries = 1000;
  auto whole = ParseJson(printed, absl::StrCat("the job of ", source));
  if (whole.ok()) return whole;
  const std::vector<std::string> lines = absl::StrSplit(printed, '\n');
  std::optional<Json> found;
  int tries = 0;
  for (size_t first = 0; first < lines.size(); ++first) {
    if (!lines[first].starts_with("{")) continue;
    // The object is on one line, or indented and ended by a line that begins with a brace.
    size_t last = first;
    if (!lines[first].ends_with("}")) {
      while (last < lines.size() && !lines[last].starts_with("}")) ++last;
      if (last == lines.size()) break;
    }
    if (++tries > kMaxTries) break;
    auto json =
        ParseJson(absl::StrJoin(lines.begin() + static_cast<std::ptrdiff_t>(first),
                                lines.begin() + static_cast<std::ptrdiff_t>(last) + 1, "\n"),
                  source);
    if (!json.ok()) continue;
    if (!found || !found->contains("model") || json->contains("model")) found = *std::move(json);
    first = last;
  }
  if (found) return *std::move(found);
  // Reports the syntax error if the text is damaged JSON, else that there is no job.
  if (printed.starts_with("{")) return whole;
  return InvalidArgument({.message = "it prints no job spec with --print-job",
                          .where = source,
                          .remedy = "Call launch::JobMain in its main(); see examples/"});
}

namespace {

bool HasJsonInEachLine(const std::string& text) {
  const size_t end = text.find('\n');
  if (end == std::string::npos || text.find_first_not_of(" \t\r\n", end) == std::string::npos)
    return false;
  const auto first = ParseJson(text.substr(0, end), "");
  return first.ok() && first->is_structured();
}

}  // namespace

StatusOr<Json> ReadJobDocument(const JobSource& source, Spawner& spawner, std::ostream& err) {
  if (source.kind == JobSource::Kind::kProgram) return RunJobProgram(source, spawner, err);
  if (!source.arguments.empty()) {
    return UsageError(
        {.message = absl::StrCat("\"", source.arguments.front(),
                                 "\" is unexpected: a file takes no arguments"),
         .where = source.path,
         .remedy = "Words after -- are arguments of a job program; see dl-submit run --help"});
  }
  DL_ASSIGN_OR_RETURN(std::string text, ReadFile(source.path, limits::kMaxJsonBytes));
  auto parsed = ParseJson(text, source.path);
  if (!parsed.ok() && HasJsonInEachLine(text)) {
    return AsDataError(InvalidArgument(
        {.message = "holds a JSON value in each line, which is not read as data",
         .where = source.path,
         .remedy = "Convert it to CSV, for example with pandas.read_json(..., lines=True)"
                   ".to_csv(..., index=False)"}));
  }
  DL_ASSIGN_OR_RETURN(Json document, std::move(parsed));
  AnchorDataPaths(document, fs::path(source.path).parent_path().string());
  return document;
}

}  // namespace dl::cli
