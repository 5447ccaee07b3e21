#include "base/unique.h"

#include <unistd.h>

#include <cerrno>

#include "base/system_error.h"

namespace dl {

StatusOr<uint64_t> UniqueNumber() {
  uint64_t number = 0;
  if (getentropy(&number, sizeof(number)) != 0)
    return SystemError(errno, "get random bytes of the system", "");
  return number;
}

}  // namespace dl
