#include "launch/daemons/state_dir.h"

#include <cstdlib>

namespace dl::launch {

StatusOr<std::string> StateDir(const std::string& flag) {
  if (!flag.empty()) return flag;
  if (const char* env = std::getenv("DL_DATA_DIR"); env != nullptr && *env != 0)
    return std::string(env);
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != 0) {
    return std::string(home) + "/.local/state/paravane";
  }
  return InvalidArgument(
      {.message = "no data folder is known: --data-dir, DL_DATA_DIR and HOME are not set",
       .where = "--data-dir",
       .remedy = "Give --data-dir DIR or set DL_DATA_DIR"});
}

}  // namespace dl::launch
