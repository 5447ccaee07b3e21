#include "cli/output/error_report.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/error_json.h"
#include "base/json.h"
#include "base/printable.h"
#include "cli/exit_code.h"
#include "cli/output/json_fields.h"
#include "rpc/remedy_text.h"

namespace dl::cli {
namespace {

// Returns the remedy of the error. A master that does not answer gives no remedy, so a general one
// is used.
std::string RemedyOf(const Status& status) {
  std::string remedy = ErrorRemedy(rpc::WithRemedyText(status));
  if (remedy.empty() && ExitCodeFor(status) == kUnreachable)
    remedy = "Is a master listening there? Check the address of --master, and the master's log";
  return remedy;
}

// Indents all lines after the first, so that no line of a text, which a peer may have sent, looks
// like a line of this program.
std::string Indented(const std::string& text, const std::string& indentation) {
  return absl::StrReplaceAll(text, {{"\n", "\n" + indentation}});
}

}  // namespace

std::string FormatError(const Status& status) {
  // If there are several mistakes, each has a line. They stay together after the first one.
  std::string text = absl::StrCat("error: ", Indented(std::string(status.message()), "  "), "\n");
  if (const std::string where = ErrorWhere(status); !where.empty())
    absl::StrAppend(&text, "  at: ", Indented(where, "      "), "\n");
  if (const std::string remedy = RemedyOf(status); !remedy.empty())
    absl::StrAppend(&text, "  try: ", Indented(remedy, "       "), "\n");
  if (ExitCodeFor(status) == kInternalError)
    absl::StrAppend(&text, "  this is a bug of Paravane; please report it\n");
  return PrintableText(text);
}

Json ErrorResult(const Status& status, const std::string& job) {
  Json error = ErrorToJson(WithRemedy(status, RemedyOf(status)));
  if (const rpc::Remedy action = rpc::RemedyOf(status); action.kind != rpc::RemedyKind::kNone)
    error["action"] = ToJson(action);
  return {{"type", "result"},
          {"job", job.empty() ? Json() : Json(job)},
          {"state", Json()},
          {"exit_code", ExitCodeFor(status)},
          {"error", error}};
}

std::optional<Status> ErrorOfResult(const Json& line) {
  const Json* const error = Member(line, "error");
  if (error == nullptr || TextAt(line, "type") != "result") return std::nullopt;
  const Status status = ErrorFromJson(*error);
  const int64_t exit_code = IntegerAt(line, "exit_code");
  return exit_code > 0 && exit_code < 256 ? WithExitCode(status, static_cast<int>(exit_code))
                                          : status;
}

}  // namespace dl::cli
