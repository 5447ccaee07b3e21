#include "storage/meta_store.h"

namespace dl::storage {

Status CheckKeys(const MetaBatch& batch) {
  for (const MetaBatch::Change& change : batch.changes()) {
    if (change.key.empty() || change.key.front() == '\0')
      return InvalidArgument(
          {.message = "a key of the meta store is empty or begins with a zero byte"});
  }
  return absl::OkStatus();
}

}  // namespace dl::storage
