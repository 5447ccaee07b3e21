// storage_writer meta|bulk|blobs DIR keep|drop: writes until it is killed, and prints a line for
// each acknowledged write: the number of the batch, or the manifest of the checkpoint. `blobs`:
// stores and deletes some blobs (blob_steps.h), then ends. `drop`: a kill loses data that was not
// synced. Exit code 3: the store could not be opened.
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "base/json.h"
#include "storage/checkpoint_store.h"
#include "storage/rocks_meta_store.h"
#include "tests/unit/storage/blob_steps.h"
#include "tests/unit/storage/written_pattern.h"

namespace dl::storage {
namespace {

int Fail(const Status& status) {
  std::fprintf(stderr, "%s\n", DescribeError(status).c_str());
  return 3;
}

bool Acknowledge(std::string line) {
  line += '\n';
  return write(STDOUT_FILENO, line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

int WriteMeta(const std::string& dir, bool drop) {
  auto store = RocksMetaStore::Open(dir, {.drop_unsynced_on_kill = drop,
                                          .min_free_bytes = 0,
                                          .ballast_bytes = 0,
                                          .write_buffer_bytes = 64 << 10});
  if (!store.ok()) return Fail(store.status());
  for (uint64_t n = (*store)->index() + 1;; ++n) {
    MetaBatch batch;
    batch.Put(PatternKey(n), PatternValue(n));
    batch.Put("latest", std::to_string(n));
    if (const Status written = (*store)->Write(batch); !written.ok()) return Fail(written);
    if (!Acknowledge(std::to_string(n))) return 1;
  }
}

int WriteBulk(const std::string& dir, bool drop) {
  auto database =
      BulkDatabase::Open(dir, "bulk", {.drop_unsynced_on_kill = drop, .min_free_bytes = 0});
  if (!database.ok()) return Fail(database.status());
  CheckpointStore store(**database);
  for (int64_t round = 0;; ++round) {
    const std::string bytes = PatternValue(round);
    const std::vector<PartBytes> parts = {{"model", std::as_bytes(std::span(bytes))}};
    auto manifest = store.Write({.id = {.job = "job", .round = round, .term = 1, .nonce = 1},
                                 .state_sha256 = "",
                                 .parts = parts});
    if (!manifest.ok()) return Fail(manifest.status());
    if (!Acknowledge(ToJson(*manifest).dump())) return 1;
  }
}

int ChangeBlobs(const std::string& dir, bool drop) {
  auto database =
      BulkDatabase::Open(dir, "bulk", {.drop_unsynced_on_kill = drop, .min_free_bytes = 0});
  if (!database.ok()) return Fail(database.status());
  auto store = BlobStore::Open(**database);
  if (!store.ok()) return Fail(store.status());
  for (int step = 0; step < kBlobSteps; ++step) {
    if (const Status done = DoBlobStep(**store, step); !done.ok()) return Fail(done);
    if (!Acknowledge(std::to_string(step))) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace dl::storage

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const bool drop = std::string(argv[3]) == "drop";
  if (std::string(argv[1]) == "meta") return dl::storage::WriteMeta(argv[2], drop);
  if (std::string(argv[1]) == "blobs") return dl::storage::ChangeBlobs(argv[2], drop);
  return dl::storage::WriteBulk(argv[2], drop);
}
