#include "cli/data/data_output.h"

#include <ostream>

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

std::ostream& SummaryStream(const std::string& path, Context& context) {
  return path == kStandardOutput ? context.err : context.out;
}

}  // namespace dl::cli
