#include "storage/store_format.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/files.h"

namespace dl::storage {
namespace {

constexpr size_t kMaxFormatBytes = 128;

std::string FormatLine(const StoreFormat& format) {
  return "paravane " + std::string(format.kind) + " " + std::to_string(format.schema) + "\n";
}

}  // namespace

Status CheckFormat(const std::string& dir, const StoreFormat& format) {
  const std::string path = dir + "/FORMAT";
  std::ifstream in(path, std::ios::binary);
  if (!in) return absl::OkStatus();
  std::string text(kMaxFormatBytes, '\0');
  in.read(text.data(), kMaxFormatBytes);
  text.resize(in.gcount());
  if (text == FormatLine(format)) return absl::OkStatus();

  const std::string start = "paravane " + std::string(format.kind) + " ";
  if (text.starts_with("paravane ") && !text.starts_with(start))
    return FailedPrecondition(
        {.message = "the folder holds a store of another kind: " + text.substr(0, text.find('\n')),
         .where = dir,
         .remedy = "Give the " + std::string(format.kind) + " store a folder of its own."});
  int64_t schema = 0;
  const char* end = text.data() + text.size();
  if (text.starts_with(start)) {
    const auto parsed = std::from_chars(text.data() + start.size(), end, schema);
    if (parsed.ec == std::errc() && std::string_view(parsed.ptr, end - parsed.ptr) == "\n" &&
        schema > 0)
      return VersionMismatch(
          {.message = "the store has schema " + std::to_string(schema) +
                      ", this version reads schema " + std::to_string(format.schema) +
                      "; it was not touched",
           .where = dir,
           .remedy = "Start the version that wrote it, or another data folder."});
  }
  return DataLoss(
      {.message = "FORMAT is damaged", .where = path, .remedy = "Restore the folder from a copy."});
}

Status EnsureFormat(const std::string& dir, const StoreFormat& format) {
  const std::string path = dir + "/FORMAT";
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return absl::OkStatus();
  return AtomicWriteFile(path, FormatLine(format));
}

}  // namespace dl::storage
