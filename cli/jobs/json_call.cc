#include "cli/jobs/json_call.h"

#include <algorithm>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/captured_stderr.h"
#include "base/clock.h"
#include "base/limits.h"
#include "cli/output/error_report.h"

namespace dl::cli {
namespace {

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  for (std::string& line : lines) absl::StripAsciiWhitespace(&line);
  std::erase(lines, "");
  return lines;
}

}  // namespace

Status JsonProgramOutput::error() const {
  if (end == ExitStatus{}) return absl::OkStatus();
  if (!objects.empty()) {
    if (auto error = ErrorOfResult(objects.back())) return *error;
  }
  return Unavailable({.message = absl::StrCat(ToString(end), last_error_line.empty() ? "" : ": ",
                                              last_error_line)});
}

StatusOr<JsonProgramOutput> RunForJson(const std::vector<std::string>& argv,
                                       const std::string& input) {
  const Instant deadline = Clock::Real().Now() + limits::kHostCallTimeout;
  const auto left = [&] { return std::max(Duration::zero(), deadline - Clock::Real().Now()); };
  const CapturedStderr errors;
  DL_ASSIGN_OR_RETURN(
      const std::unique_ptr<ChildProcess> child,
      Spawner::Real().Start(
          {.argv = argv, .out = ChildOutput::Pipe(), .err = errors.output(), .in = input}));
  DL_ASSIGN_OR_RETURN(const std::string output,
                      child->ReadAll(left(), limits::kMaxHostOutputBytes));
  JsonProgramOutput answer;
  DL_ASSIGN_OR_RETURN(answer.end, child->Wait(left()));
  for (const std::string& line : LinesOf(output)) {
    // Other lines are skipped, such as the greeting of a shell.
    auto json = ParseJson(line, "an answer");
    if (json.ok() && json->is_object()) answer.objects.push_back(*std::move(json));
  }
  if (auto lines = LinesOf(errors.Text()); !lines.empty()) answer.last_error_line = lines.back();
  return answer;
}

}  // namespace dl::cli
