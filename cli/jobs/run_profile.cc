#include "cli/jobs/run_profile.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/json.h"
#include "base/system_error.h"
#include "base/trace.h"
#include "cli/data/data_output.h"
#include "cli/exit_code.h"

namespace dl::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kVariable[] = "DL_TRACE";
constexpr int64_t kMaxTraceBytes = int64_t{4} << 30;

Status CheckFile(const std::string& file) {
  if (file == "-") {
    return UsageError({.message = "a profile is written to a file, not to standard output",
                       .where = "--profile",
                       .remedy = "Name a file, for example --profile profile.json"});
  }
  const fs::path folder = fs::path(file).parent_path();
  std::error_code error;
  if (folder.empty() || fs::is_directory(folder, error)) return absl::OkStatus();
  return UsageError({.message = absl::StrCat("there is no folder ", folder.string()),
                     .where = "--profile",
                     .remedy = "Create it, or name another file"});
}

// Appends the events of a trace to those of `all`.
Status Append(const std::string& path, Json& all) {
  DL_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxTraceBytes));
  DL_ASSIGN_OR_RETURN(Json json, ParseJson(text, path));
  for (Json& event : json.at("traceEvents")) all.at("traceEvents").push_back(std::move(event));
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<RunProfile>> RunProfile::Start(const std::string& file,
                                                        const launch::Target& target,
                                                        const Context& context) {
  const bool is_local = target.starts_executors() && !target.is_in_batch() && !target.is_mpi();
  if (!is_local) {
    return UsageError({.message = absl::StrCat("the executors of ", target.ToString(),
                                               " may be on other machines"),
                       .where = "--profile",
                       .remedy = "Use --master local[N] or local-cluster[N]. On other clusters, "
                                 "start executors with DL_TRACE=FOLDER; dl-submit trace JOB shows "
                                 "the times of units"});
  }
  if (context.environment.contains(kVariable)) {
    return UsageError({.message = "DL_TRACE and --profile exclude each other",
                       .where = "--profile",
                       .remedy = "Unset DL_TRACE"});
  }
  DL_RETURN_IF_ERROR(CheckFile(file));
  std::error_code error;
  std::string folder = (fs::temp_directory_path(error) / "paravane-profile-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return SystemError(errno, "create the folder", folder);
  setenv(kVariable, folder.c_str(), 1);
  StartTrace();
  return std::unique_ptr<RunProfile>(new RunProfile(file, std::move(folder)));
}

RunProfile::~RunProfile() {
  (void)StopTrace();
  unsetenv(kVariable);
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

Status RunProfile::Write(Context& context) {
  DL_ASSIGN_OR_RETURN(Json all, ParseJson(ChromeTrace(StopTrace()), file_));
  std::error_code error;
  for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error))
    DL_RETURN_IF_ERROR(WithExitCode(Append(it->path().string(), all), kInputOutput));
  return WriteOutput(
      file_, [&](ByteSink sink) { return sink(JsonText(all)); }, context);
}

}  // namespace dl::cli
