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

Status FormatIsLost(const std::string& dir, const StoreFormat& format, std::string_view what) {
  return DataLoss(
      {.message = "the file FORMAT is " + std::string(what) +
                  ", so the version that wrote the store is unknown; nothing was changed",
       .where = dir + "/FORMAT",
       .remedy = "Restore the folder from a copy; or, if this version wrote it, write "
                 "the line \"paravane " +
                 std::string(format.kind) + " " + std::to_string(format.schema) +
                 "\" into that file."});
}

// Returns true if the text names a kind of store. If not, FORMAT is damaged.
bool IsKind(std::string_view text) {
  for (const std::string_view kind : {"meta", "bulk", "cache"}) {
    if (text.starts_with("paravane " + std::string(kind) + " ")) return true;
  }
  return false;
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
  if (IsKind(text) && !text.starts_with(start))
    return FailedPrecondition(
        {.message = "the folder holds a store of another kind: " + text.substr(0, text.find('\n')),
         .where = dir,
         .remedy = "Give the " + std::string(format.kind) + " store a folder of its own."});
  int64_t schema = 0;
  const char* end = text.data() + text.size();
  if (text.starts_with(start)) {
    const auto parsed = std::from_chars(text.data() + start.size(), end, schema);
    const bool whole =
        parsed.ec == std::errc() && std::string_view(parsed.ptr, end - parsed.ptr) == "\n";
    if (whole && format.oldest > 0 && schema >= format.oldest && schema < format.schema)
      return absl::OkStatus();
    if (whole && schema > 0)
      return VersionMismatch({.message = "the store has schema " + std::to_string(schema) +
                                         ", but this version reads schema " +
                                         std::to_string(format.schema) + "; nothing was changed",
                              .where = dir,
                              .remedy = "Use the version that wrote it, or another data folder."});
  }
  return FormatIsLost(dir, format, "damaged");
}

Status RequireFormat(const std::string& dir, const StoreFormat& format) {
  std::error_code ignored;
  if (std::filesystem::exists(dir + "/FORMAT", ignored)) return CheckFormat(dir, format);
  return FormatIsLost(dir, format, "missing");
}

Status EnsureFormat(const std::string& dir, const StoreFormat& format) {
  const std::string path = dir + "/FORMAT";
  std::error_code ignored;
  std::ifstream in(path, std::ios::binary);
  if (!in && std::filesystem::exists(path, ignored)) return absl::OkStatus();  // as in CheckFormat
  std::string line(kMaxFormatBytes, '\0');
  in.read(line.data(), kMaxFormatBytes);
  line.resize(in.gcount());
  if (line == FormatLine(format)) return absl::OkStatus();
  return AtomicWriteFile(path, FormatLine(format));
}

}  // namespace dl::storage
