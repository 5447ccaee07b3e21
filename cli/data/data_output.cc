#include "cli/data/data_output.h"

#include <filesystem>
#include <ostream>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "cli/exit_code.h"

namespace dl::cli {
namespace {

constexpr std::string_view kStandardOutput = "-";

}  // namespace

Status CheckOutput(const std::ostream& out) {
  if (out) return absl::OkStatus();
  return WithExitCode(
      DataLoss(
          {.message = "cannot write to standard output: its reader has ended, or its disk is full",
           .where = "standard output",
           .remedy = "Read the output to its end, or write it to a file: > FILE"}),
      kInputOutput);
}

Status WriteOutput(const std::string& path, ByteContent content, Context& context) {
  if (path != kStandardOutput) return WithExitCode(WriteOutputFile(path, content), kInputOutput);
  std::ostream& out = context.data == nullptr ? context.out : *context.data;
  DL_RETURN_IF_ERROR(content([&](std::string_view bytes) {
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return CheckOutput(out);
  }));
  out.flush();
  return CheckOutput(out);
}

Status CheckKeepsData(const std::string& path, const std::string& data) {
  std::error_code none;  // if a path does not exist, they are not the same file
  const bool is_file = std::filesystem::is_regular_file(path, none);
  if (!is_file || !std::filesystem::equivalent(path, data, none)) return absl::OkStatus();
  return UsageError({.message = absl::StrCat(path, " is the file of the data"),
                     .where = "-o",
                     .remedy = "Give another file: this one would be replaced"});
}

std::ostream& SummaryStream(const std::string& path, Context& context) {
  return path == kStandardOutput ? context.err : context.out;
}

}  // namespace dl::cli
