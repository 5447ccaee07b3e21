#include "cli/job_source.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/nearest_file.h"
#include "cli/nearest_name.h"

namespace dl::cli {
namespace {

namespace fs = std::filesystem;

bool IsExecutable(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

StatusOr<std::string> ProgramFolder() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return Internal({.message = "cannot tell where this program is: " + error.message()});
  return self.parent_path().string();
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
        {.message = absl::StrCat("there is no file ", text, DidYouMeanFile(text)),
         .where = "JOB",
         .remedy = "Check the path; a relative one begins at the folder where the command runs"});
  }
  const bool is_path = text.find('/') != std::string::npos;
  const fs::path program = is_path ? fs::path(text) : fs::path(program_folder) / text;
  if (!text.empty() && IsExecutable(program))
    return JobSource{JobSource::Kind::kProgram, program.string()};
  if (!text.empty() && fs::is_regular_file(text, error) && !IsExecutable(text)) {
    return NotFound(
        {.message = absl::StrCat(text, " is neither a job program nor a job spec"),
         .where = "JOB",
         .remedy = "A job program may be executed (chmod +x), a job spec's name ends with .json"});
  }
  if (is_path) {
    return NotFound(
        {.message = absl::StrCat("there is no job program ", text, DidYouMeanFile(text)),
         .where = "JOB",
         .remedy = "Give the path of a job program, or of a job spec whose name ends with .json"});
  }
  std::string meant = DidYouMeanName(text, JobPrograms(program_folder));
  if (!text.empty() && fs::is_regular_file(text + ".json", error))
    meant = absl::StrCat("; did you mean \"", text, ".json\"?");
  if (!text.empty() && IsExecutable(text))
    meant = absl::StrCat("; did you mean \"./", text, "\", which is here?");
  if (meant.empty() && text.find('.') != std::string::npos) meant = DidYouMeanFile(text);
  return NotFound(
      {.message = absl::StrCat("there is no job program \"", text, "\"", meant),
       .where = program_folder,
       .remedy = "Give the name of a program in that folder, a path to one, or a .json file"});
}

StatusOr<Json> ReadJobDocument(const JobSource& source, Spawner& spawner) {
  if (source.kind == JobSource::Kind::kFile) {
    DL_ASSIGN_OR_RETURN(std::string text, ReadFile(source.path, limits::kMaxJsonBytes));
    return ParseJson(text, source.path);
  }
  DL_ASSIGN_OR_RETURN(
      std::unique_ptr<ChildProcess> child,
      spawner.Start({.argv = {source.path, "--print-job"}, .out = ChildOutput::Pipe()}));
  auto text = child->ReadAll(limits::kPrintJobLimit, limits::kMaxJsonBytes);
  auto ended = text.ok() ? child->Wait(limits::kPrintJobLimit) : text.status();
  if (absl::IsDeadlineExceeded(ended.status())) {
    return InvalidArgument({.message = absl::StrCat(source.path, " --print-job does not end"),
                            .where = source.path,
                            .remedy = "Run it by itself to see what it waits for"});
  }
  if (!ended.ok()) return WithContext(ended.status(), absl::StrCat(source.path, " --print-job"));
  const ExitStatus end = *ended;
  if (end != ExitStatus{}) {
    return InvalidArgument({.message = absl::StrCat(source.path, " --print-job ", ToString(end)),
                            .where = source.path,
                            .remedy = "Run it by itself to see what is wrong with its job"});
  }
  return ParseJson(*text, absl::StrCat("the job of ", source.path));
}

}  // namespace dl::cli
