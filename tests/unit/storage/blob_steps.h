// Steps that storage_writer performs on a blob store, and the blobs that exist after each step.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "storage/blob_store.h"
#include "tests/unit/storage/written_pattern.h"

namespace dl::storage {

struct BlobStep {
  std::vector<int> put, deleted;
};
// Steps: store a table; store another; delete a small part, which is only recorded; delete a larger
// part, so that the table is rewritten; delete all of it; store deleted blobs again.
inline const std::vector<BlobStep>& BlobSteps() {
  static const std::vector<BlobStep> steps = {{.put = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
                                              {.put = {10, 11, 12}},
                                              {.deleted = {0}},
                                              {.deleted = {1, 2, 10}},
                                              {.deleted = {11, 12}},
                                              {.put = {0, 11}}};
  return steps;
}
inline const int kBlobSteps = static_cast<int>(BlobSteps().size());

inline std::string SteppedBlob(int number) { return Sha256Hex(PatternValue(number)); }

inline Status DoBlobStep(BlobStore& store, int number) {
  const BlobStep& step = BlobSteps()[number];
  std::vector<std::string> contents, names;
  for (const int blob : step.put) contents.push_back(PatternValue(blob));
  std::vector<Blob> blobs;
  for (const std::string& content : contents)
    blobs.push_back({Sha256Hex(content), std::as_bytes(std::span(content))});
  for (const int blob : step.deleted) names.push_back(SteppedBlob(blob));
  if (!blobs.empty()) DL_RETURN_IF_ERROR(store.Put(blobs));
  return names.empty() ? absl::OkStatus() : store.Delete(names);
}

// Returns the names that are stored after the given number of steps.
inline std::set<std::string> NamesAfter(int steps) {
  std::set<std::string> names;
  for (int i = 0; i < steps; ++i) {
    for (const int blob : BlobSteps()[i].put) names.insert(SteppedBlob(blob));
    for (const int blob : BlobSteps()[i].deleted) names.erase(SteppedBlob(blob));
  }
  return names;
}

}  // namespace dl::storage
