#include "base/unique.h"

#include <unistd.h>

#include <cerrno>

#include "base/system_error.h"

namespace dl {

namespace {

Status Fill(void* bytes, size_t count) {
  if (getentropy(bytes, count) == 0) return absl::OkStatus();
  return SystemError(errno, "get random bytes of the system", "");
}

}  // namespace

StatusOr<uint64_t> UniqueNumber() {
  uint64_t number = 0;
  DL_RETURN_IF_ERROR(Fill(&number, sizeof number));
  return number;
}

StatusOr<SecretBytes> MakeSecretBytes() {
  SecretBytes bytes;
  DL_RETURN_IF_ERROR(Fill(bytes.data(), bytes.size()));
  return bytes;
}

}  // namespace dl
