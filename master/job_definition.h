// Converts the documents of a submission to the inputs of the core and the merge engine. The
// results depend only on the documents, the blocks and the build of the program.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "master/core/job/definition.h"
#include "master/merge/round_state.h"

namespace dl::master {

// Validates the spec, the manifests, and that they match. `id` may be empty before the job has one.
// `test_manifest` is empty for a job without a test set. Returns InvalidArgument with all mistakes
// of the first document that has one, VersionMismatch for a document of a newer build, and DataLoss
// for a wrong hash of a normalizer.
StatusOr<JobDefinition> DefinitionFromDocuments(const std::string& id, const std::string& spec,
                                                const std::string& train_manifest,
                                                const std::string& test_manifest);

// Returns a block of a job by its SHA-256, as storage::BlobStore::Get.
using BlockReader = std::function<StatusOr<std::string>(const std::string& sha256)>;

// Returns the material of a job. `read_block` is called for the initial weights whenever state 0 is
// computed, so the result keeps it. Returns errors of the spec.
StatusOr<JobMaterial> MaterialFromSpec(const std::string& spec, BlockReader read_block);

// Returns the names of all blocks of a job's data. An empty manifest has none. Errors are those of
// dataset::ManifestFromJson.
StatusOr<std::vector<std::string>> BlocksOf(const std::string& train_manifest,
                                            const std::string& test_manifest);
// Returns the names of the blocks in a document stored under keys::InitialWeights, or DataLoss.
StatusOr<std::vector<std::string>> BlocksOfWeights(const std::string& stored);

}  // namespace dl::master
