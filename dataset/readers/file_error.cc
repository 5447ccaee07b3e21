#include "dataset/readers/file_error.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "base/nearest_file.h"

namespace dl::dataset {

Status NoSuchFile(const std::string& path) {
  const size_t scheme = path.find("://");
  if (scheme != std::string::npos && scheme > 0 && path.find('/') > scheme) {
    return NotFound(
        {.message = "the name is a URL, but data is read only from files",
         .where = path,
         .remedy = "Download the file first, for example with curl -LO, and name the file"});
  }
  std::error_code error;
  if (std::filesystem::is_symlink(path, error)) {
    return NotFound({.message = "it is a link to a file that does not exist",
                     .where = path,
                     .remedy = "Correct the link, or name the file itself"});
  }
  return NotFound({.message = absl::StrCat("there is no such file", SuggestFile(path)),
                   .where = path,
                   .remedy = "Correct the path; a relative path starts at the folder of its spec, "
                             "or where a job program runs"});
}

Status AboutFile(const Status& status, const std::string& path, std::string_view remedy) {
  const std::string where = ErrorWhere(status);
  const std::string own = ErrorRemedy(status);
  // The place "schema" refers to a table and is no place in a file.
  return MakeError(
      status.code(),
      {.message = std::string(status.message()),
       .where = where.empty() || where == "schema" ? path : absl::StrCat(path, ", ", where),
       .remedy = own.empty() ? std::string(remedy) : own});
}

}  // namespace dl::dataset
