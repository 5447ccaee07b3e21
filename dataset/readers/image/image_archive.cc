#include "dataset/readers/image/image_archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>  // also newlocale, of POSIX
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/file_descriptor.h"
#include "base/printable.h"
#include "base/system_error.h"
#include "dataset/readers/file_error.h"

namespace dl::dataset {
namespace {

namespace fs = std::filesystem;

constexpr size_t kReadBytes = 64 << 10;
constexpr size_t kMaxPath = 1024, kMaxPart = 255, kMaxShownName = 80;  // bytes

struct FreeArchive {
  void operator()(archive* opened) const { archive_read_free(opened); }
};
using Archive = std::unique_ptr<archive, FreeArchive>;

// Lets libarchive read names of this thread's archives as UTF-8. In the locale of a program that
// sets none, names with other characters than ASCII are lost.
class Utf8Names {
 public:
  Utf8Names() : locale_(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
    if (locale_ != nullptr) before_ = uselocale(locale_);
  }
  Utf8Names(const Utf8Names&) = delete;
  Utf8Names& operator=(const Utf8Names&) = delete;
  ~Utf8Names() {
    if (locale_ == nullptr) return;
    uselocale(before_);
    freelocale(locale_);
  }

 private:
  const locale_t locale_;
  locale_t before_ = nullptr;
};

// Returns the parts of an entry's name without ".", or nullopt if it cannot be a name in a folder.
std::optional<std::vector<std::string>> PartsOf(const std::string& name) {
  if (name.empty() || name.size() > kMaxPath || name.front() == '/' ||
      name.find('\\') != std::string::npos) {
    return std::nullopt;
  }
  std::vector<std::string> parts;
  for (const absl::string_view part : absl::StrSplit(name, '/', absl::SkipEmpty())) {
    if (part == ".." || part.size() > kMaxPart) return std::nullopt;
    if (part != ".") parts.emplace_back(part);
  }
  return parts;
}

bool IsSkipped(const std::vector<std::string>& parts) {
  return std::ranges::any_of(parts, [](const std::string& part) {
    return part.front() == '.' || absl::EqualsIgnoreCase(part, "__MACOSX");
  });
}

class Unpacking {
 public:
  Unpacking(const UnpackOptions& options, int64_t most_bytes)
      : options_(options), left_(most_bytes), piece_(kReadBytes) {}

  Status Run() {
    const Utf8Names names;
    archive* const opened = opened_.get();
    archive_read_support_filter_gzip(opened);
    archive_read_support_filter_zstd(opened);
    archive_read_support_format_tar(opened);
    archive_read_support_format_zip_seekable(opened);  // seekable: uses the directory
    if (archive_read_open_filename(opened, options_.archive.c_str(), kReadBytes) != ARCHIVE_OK)
      return Damaged();
    for (archive_entry* entry = nullptr;;) {
      const int answer = archive_read_next_header(opened, &entry);
      if (answer == ARCHIVE_EOF) return absl::OkStatus();
      // A warning is about facts that are not used, such as the name of the owner.
      if (answer != ARCHIVE_OK && answer != ARCHIVE_WARN) return Damaged();
      DL_RETURN_IF_ERROR(Unpack(entry));
    }
  }

 private:
  Status Unpack(archive_entry* entry) {
    if (options_.may_go_on) DL_RETURN_IF_ERROR(options_.may_go_on());
    const char* const text = archive_entry_pathname(entry);
    const std::string name = text == nullptr ? "" : text;
    const auto parts = PartsOf(name);
    const bool is_folder = archive_entry_filetype(entry) == AE_IFDIR;
    if (!parts || (parts->empty() && !is_folder))
      return Refused(name, "has no name of a file in a folder");
    // Links are refused even where they would be skipped.
    if (archive_entry_hardlink(entry) != nullptr || archive_entry_symlink(entry) != nullptr ||
        (!is_folder && archive_entry_filetype(entry) != AE_IFREG)) {
      return Refused(name, "is neither a regular file nor a folder");
    }
    if (archive_entry_is_encrypted(entry) != 0) return Refused(name, "is encrypted");
    DL_RETURN_IF_ERROR(Count());
    if (is_folder) return absl::OkStatus();
    // The bytes are read in any case, because even skipping them takes time.
    FileDescriptor file;
    if (!IsSkipped(*parts)) DL_RETURN_IF_ERROR(Create(name, *parts, file));
    return Copy(file);
  }

  // Counts a file or a folder.
  Status Count() {
    if (++files_ <= options_.max_files) return absl::OkStatus();
    return TooLarge(absl::StrCat("has more than ", options_.max_files, " files and folders"));
  }

  // Creates an entry's file and the folders that it needs.
  Status Create(const std::string& name, const std::vector<std::string>& parts,
                FileDescriptor& file) {
    std::string path = options_.folder;
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      absl::StrAppend(&path, "/", parts[i]);
      std::error_code error;
      if (fs::create_directory(path, error)) DL_RETURN_IF_ERROR(Count());
      if (error == std::errc::file_exists || error == std::errc::not_a_directory)
        return Refused(name, "is in a folder that is a file, too");
      if (error) return SystemError(error.value(), "unpack", options_.archive);
    }
    absl::StrAppend(&path, "/", parts.back());
    file = FileDescriptor(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (file.valid()) return absl::OkStatus();
    if (errno == EEXIST) return Refused(name, "occurs twice");
    return SystemError(errno, "unpack", options_.archive);
  }

  // Reads the bytes of an entry, and writes them to the file if that is open.
  Status Copy(const FileDescriptor& file) {
    while (true) {
      const la_ssize_t got = archive_read_data(opened_.get(), piece_.data(), piece_.size());
      if (got < 0) return Damaged();
      if (got == 0) return absl::OkStatus();
      if (options_.may_go_on) DL_RETURN_IF_ERROR(options_.may_go_on());
      left_ -= got;
      if (left_ < 0) {
        return TooLarge(absl::StrCat("unpacks to more than ", kMaxUnpackedRatio,
                                     " times its size and ", kFreeUnpackedBytes >> 20, " MiB"));
      }
      if (!file.valid()) continue;
      for (std::string_view rest(piece_.data(), static_cast<size_t>(got)); !rest.empty();) {
        const ssize_t wrote = ::write(file.get(), rest.data(), rest.size());
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) return SystemError(errno, "unpack", options_.archive);
        rest.remove_prefix(static_cast<size_t>(wrote));
      }
    }
  }

  Status Refused(const std::string& name, std::string_view what) const {
    return InvalidArgument({.message = absl::StrCat("the entry ", Excerpt(name, kMaxShownName), " ",
                                                    std::string(what)),
                            .where = options_.archive,
                            .remedy = "Pack only a folder for each class, with the images in it"});
  }
  Status Damaged() const {
    const char* const why = archive_error_string(opened_.get());
    return DataLoss({.message = absl::StrCat("the archive cannot be unpacked",
                                             why == nullptr ? "" : ": ", why == nullptr ? "" : why),
                     .where = options_.archive,
                     .remedy = std::string(kFetchAgain)});
  }
  Status TooLarge(const std::string& what) const {
    return ResourceExhausted({.message = absl::StrCat("the archive ", what),
                              .where = options_.archive,
                              .remedy = "Unpack it, and import the folder"});
  }

  const UnpackOptions& options_;
  const Archive opened_{archive_read_new()};
  int64_t left_;  // bytes
  int64_t files_ = 0;
  std::vector<char> piece_;
};

// Returns the folders in a folder that this process made.
StatusOr<std::vector<std::string>> FoldersIn(const std::string& folder) {
  std::vector<std::string> folders;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code unknown;
    if (it->is_directory(unknown)) folders.push_back(it->path().string());
  }
  if (error) return SystemError(error.value(), "list the files of", folder);
  return folders;
}

// Returns the only folder in a folder if it contains folders, else the outer folder.
StatusOr<std::string> FolderOfClasses(const std::string& folder) {
  DL_ASSIGN_OR_RETURN(const std::vector<std::string> outer, FoldersIn(folder));
  if (outer.size() != 1) return folder;
  DL_ASSIGN_OR_RETURN(const std::vector<std::string> inner, FoldersIn(outer[0]));
  return inner.empty() ? folder : outer[0];
}

}  // namespace

bool IsImageArchive(const std::string& name) {
  const std::string lower = absl::AsciiStrToLower(name);
  return std::ranges::any_of(
      std::vector<std::string>{".zip", ".tar", ".tgz", ".tar.gz", ".tar.zst"},
      [&](const std::string& ending) { return lower.ends_with(ending); });
}

StatusOr<std::string> UnpackImages(const UnpackOptions& options) {
  std::error_code error;
  const uintmax_t size = fs::file_size(options.archive, error);
  if (error == std::errc::no_such_file_or_directory) return NoSuchFile(options.archive);
  if (error) return SystemError(error.value(), "read", options.archive);
  const auto bytes = static_cast<int64_t>(std::min<uintmax_t>(size, INT64_MAX / 8));
  Unpacking unpacking(options, bytes * kMaxUnpackedRatio + kFreeUnpackedBytes);
  DL_RETURN_IF_ERROR(unpacking.Run());
  return FolderOfClasses(options.folder);
}

}  // namespace dl::dataset
