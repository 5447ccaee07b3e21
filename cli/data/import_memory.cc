#include "cli/data/import_memory.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/machine_memory.h"
#include "cli/exit_code.h"
#include "cli/flags.h"

namespace dl::cli {
namespace {

ErrorText TooLittle(int64_t bytes, std::string where) {
  return {.message = absl::StrCat(bytes, " bytes of memory for an import are too few; at least ",
                                  limits::kMinImportMemoryBytes, " are needed"),
          .where = std::move(where),
          .remedy = "Give a size, for example 256M or 1G"};
}

}  // namespace

StatusOr<int64_t> ImportMemory(int64_t flag,
                               const std::map<std::string, std::string>& environment) {
  if (flag != 0) {
    if (flag < limits::kMinImportMemoryBytes) return UsageError(TooLittle(flag, "--memory"));
    return flag;
  }
  const auto variable = environment.find("DL_IMPORT_MEMORY");
  if (variable == environment.end() || variable->second.empty()) {
    // Only a quarter, because an import or a job needs memory for more than rows.
    return std::clamp(AvailableMemoryBytes() / 4, limits::kMinImportMemoryBytes,
                      limits::kImportMemoryBytes);
  }
  const std::string where = "environment DL_IMPORT_MEMORY";
  const auto bytes = ParseSize(variable->second);
  if (!bytes.ok())
    return InvalidArgument({.message = std::string(bytes.status().message()), .where = where});
  if (*bytes < limits::kMinImportMemoryBytes) return InvalidArgument(TooLittle(*bytes, where));
  return bytes;
}

}  // namespace dl::cli
