#include "dataset/readers/source_paths.h"

#include <glob.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "base/limits.h"

namespace dl::dataset {
namespace {

bool IsPattern(const std::string& name) {
  std::error_code error;
  return name.find_first_of("*?[") != std::string::npos && !std::filesystem::exists(name, error);
}

// A folder that does not exist has no match. A folder that cannot be read could have some.
int StopsAt(const char*, int error) { return error != ENOENT; }

StatusOr<std::vector<std::string>> Matches(const std::string& pattern) {
  glob_t found = {};
  // Sorted below, because glob sorts by the locale.
  const int failed = ::glob(pattern.c_str(), GLOB_NOSORT, &StopsAt, &found);
  std::vector<std::string> paths(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (failed != 0 && failed != GLOB_NOMATCH) {
    return InvalidArgument(
        {.message = failed == GLOB_ABORTED
                        ? "a folder of the pattern cannot be read"
                        : "there is too little memory for the paths that match the pattern",
         .where = pattern,
         .remedy = "Check the permissions of its folders, or name the files"});
  }
  if (paths.empty()) {
    return NotFound({.message = "no file matches the pattern",
                     .where = pattern,
                     .remedy = "Correct the pattern; a relative path starts at the folder of its "
                               "spec, or where a job program runs"});
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

StatusOr<std::vector<std::string>> SourcePaths(const job::Files& files) {
  std::vector<std::string> paths;
  for (const std::string& name : files.names) {
    if (IsPattern(name)) {
      DL_ASSIGN_OR_RETURN(std::vector<std::string> matches, Matches(name));
      std::move(matches.begin(), matches.end(), std::back_inserter(paths));
    } else {
      paths.push_back(name);
    }
    if (static_cast<int64_t>(paths.size()) > limits::kMaxSourceFiles) {
      return InvalidArgument(
          {.message = absl::StrCat("there are more than ", limits::kMaxSourceFiles, " files"),
           .where = name,
           .remedy = "Put their examples into fewer files"});
    }
  }
  if (paths.empty())
    return InvalidArgument(
        {.message = "the source names no file", .remedy = "Name at least one file"});
  std::set<std::string_view> seen;
  for (const std::string& path : paths) {
    if (seen.insert(path).second) continue;
    return InvalidArgument({.message = "the file is named twice, so its examples would count twice",
                            .where = path,
                            .remedy = "Leave out its name, or the pattern that also matches it"});
  }
  return paths;
}

StatusOr<std::vector<std::string>> PathsBeside(const std::vector<std::string>& features,
                                               const job::Files& files, std::string_view what) {
  DL_ASSIGN_OR_RETURN(std::vector<std::string> paths, SourcePaths(files));
  const size_t has = features.size(), named = paths.size();
  if (has == named) return paths;
  return InvalidArgument(
      {.message = absl::StrCat("there are ", named, named == 1 ? " file" : " files", " of ",
                               std::string(what), ", but ", has, has == 1 ? " file" : " files",
                               " of features"),
       .where = paths.back(),
       .remedy = absl::StrCat("Name one file of ", std::string(what),
                              " for each file of features, in the same order")});
}

}  // namespace dl::dataset
