#include "dataset/readers/file_error.h"

#include "absl/strings/str_cat.h"
#include "base/nearest_file.h"

namespace dl::dataset {

Status NoSuchFile(const std::string& path) {
  return NotFound({.message = absl::StrCat("there is no such file", DidYouMeanFile(path)),
                   .where = path,
                   .remedy = "Correct the path; a relative one begins at its spec's folder, or "
                             "where a job program runs"});
}

Status AboutFile(const Status& status, const std::string& path, std::string_view remedy) {
  const std::string where = ErrorWhere(status);
  const std::string own = ErrorRemedy(status);
  // "schema" is a place of a table, not of a file.
  return MakeError(
      status.code(),
      {.message = std::string(status.message()),
       .where = where.empty() || where == "schema" ? path : absl::StrCat(path, ", ", where),
       .remedy = own.empty() ? std::string(remedy) : own});
}

}  // namespace dl::dataset
