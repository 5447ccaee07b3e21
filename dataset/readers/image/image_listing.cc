#include "dataset/readers/image/image_listing.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/nearest_file.h"
#include "dataset/readers/file_error.h"

namespace dl::dataset {
namespace {

namespace fs = std::filesystem;

struct Entry {
  std::string path;
  fs::file_type type;  // links are followed
};

Status Unreadable(const std::string& path, const std::error_code& error) {
  return InvalidArgument({.message = absl::StrCat("cannot be read: ", error.message()),
                          .where = path,
                          .remedy = "Give this user permission to read it, or move it away"});
}

// Returns whether the name is that of a file or folder that systems store next to images: Windows,
// macOS, Synology.
bool IsLeftBySystem(const std::string& name) {
  constexpr std::string_view kNames[] = {"thumbs.db",   "ehthumbs.db", "ehthumbs_vista.db",
                                         "desktop.ini", "__macosx",    "icon\r",
                                         "@eadir"};
  return std::ranges::find(kNames, absl::AsciiStrToLower(name)) != std::end(kNames);
}

bool HasEnding(const std::string& path, std::initializer_list<std::string_view> endings) {
  const std::string ending = absl::AsciiStrToLower(fs::path(path).extension().string());
  return std::ranges::find(endings, ending) != endings.end();
}

// Returns whether the ending is that of a list, note, program or archive that users store next to
// images.
bool IsNamedAsOther(const std::string& path) {
  return HasEnding(path, {".txt", ".csv",  ".tsv", ".json", ".jsonl", ".xml", ".html",  ".htm",
                          ".md",  ".yaml", ".yml", ".log",  ".pdf",   ".py",  ".ipynb", ".ini",
                          ".zip", ".tar",  ".gz",  ".npy",  ".npz",   ".mat", ".pkl",   ".db",
                          ".lnk", ".url",  ".bak", ".tmp",  ".part",  ".mp4", ".avi",   ".mov"});
}

// Returns the entries of a folder, sorted, without names that begin with a dot and without files of
// the system.
StatusOr<std::vector<Entry>> EntriesOf(const std::string& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (status.type() == fs::file_type::not_found) {
    return NotFound({.message = absl::StrCat("there is no such folder", SuggestFile(folder)),
                     .where = folder,
                     .remedy = "Correct the path; a relative path starts at the folder of its "
                               "spec, or where a job program runs"});
  }
  if (status.type() != fs::file_type::directory && !error) {
    return InvalidArgument({.message = "is not a folder",
                            .where = folder,
                            .remedy = "Name the folder that contains a folder for each class"});
  }
  std::vector<Entry> entries;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with('.') || IsLeftBySystem(name)) continue;
    std::error_code unknown;
    entries.push_back({it->path().string(), it->status(unknown).type()});
    if (std::ssize(entries) > limits::kMaxImagesOfClass) {
      return InvalidArgument(
          {.message = absl::StrCat("contains more than ", limits::kMaxImagesOfClass, " files"),
           .where = folder,
           .remedy = "Put fewer images there"});
    }
  }
  if (error) return Unreadable(folder, error);
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.path < b.path; });
  return entries;
}

}  // namespace

bool IsNamedAsSet(const std::string& folder) {
  constexpr std::string_view kNames[] = {"train", "training", "test",      "testing",
                                         "val",   "valid",    "validation"};
  const std::string name = fs::path(folder).filename().string();
  return std::ranges::find(kNames, absl::AsciiStrToLower(name)) != std::end(kNames);
}

std::string NameOfPath(const std::string& path) { return fs::path(path).filename().string(); }

std::string NameIn(const std::string& folder, const std::string& path) {
  return fs::path(path).lexically_relative(folder).string();
}

StatusOr<std::vector<std::string>> ImageFolders(const std::string& folder, LabelColumns labels) {
  if (labels == LabelColumns::kNone) return std::vector<std::string>{folder};
  DL_ASSIGN_OR_RETURN(std::vector<Entry> entries, EntriesOf(folder));
  std::vector<std::string> folders;
  for (Entry& entry : entries) {
    if (entry.type == fs::file_type::directory) folders.push_back(std::move(entry.path));
  }
  if (!folders.empty()) return folders;
  return InvalidArgument(
      {.message = "contains no folders",
       .where = folder,
       .remedy = "Put the images of each class into a folder in it with the name of the class"});
}

StatusOr<std::vector<std::string>> ImagesBesideFolders(const std::string& folder) {
  DL_ASSIGN_OR_RETURN(std::vector<Entry> entries, EntriesOf(folder));
  std::vector<std::string> paths;
  for (Entry& entry : entries) {
    if (entry.type == fs::file_type::regular &&
        HasEnding(entry.path, {".png", ".jpg", ".jpeg", ".jpe", ".jfif"}))
      paths.push_back(std::move(entry.path));
  }
  return paths;
}

StatusOr<ImageFiles> ImagesIn(const std::string& folder) {
  std::error_code none;
  if (fs::is_regular_file(folder, none)) return ImageFiles{.images = {folder}, .others = {}};
  DL_ASSIGN_OR_RETURN(std::vector<Entry> entries, EntriesOf(folder));
  ImageFiles files;
  for (Entry& entry : entries) {
    switch (entry.type) {
      case fs::file_type::regular:
        (IsNamedAsOther(entry.path) ? files.others : files.images).push_back(std::move(entry.path));
        break;
      case fs::file_type::directory:
        return InvalidArgument(
            {.message = "is a folder among images",
             .where = entry.path,
             .remedy = IsNamedAsSet(folder)
                           ? "Name the folder of each set separately: --train FOLDER --test FOLDER"
                           : "Move its images into the parent folder, or move it away; the folder "
                             "of a class may contain only images"});
      case fs::file_type::not_found:
        return InvalidArgument({.message = "is a link to a file that does not exist",
                                .where = entry.path,
                                .remedy = "Correct the link, or remove it"});
      default:
        return InvalidArgument(
            {.message = "is not a regular file, or cannot be accessed",
             .where = entry.path,
             .remedy = "Move it away; the folder of a class may contain only images"});
    }
  }
  return files;
}

}  // namespace dl::dataset
