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

// Returns the core's definition of a job. Validates the spec, the manifests, and that they match.
// `id` becomes JobDefinition::id; it may be empty before the job has one. `test_manifest` is empty
// for a job without a test set. Returns InvalidArgument for mistakes in a document or between
// documents, VersionMismatch for a document of a newer build, and DataLoss for a wrong hash of a
// normalizer.
StatusOr<JobDefinition> DefinitionFromDocuments(const std::string& id, const std::string& spec,
                                                const std::string& train_manifest,
                                                const std::string& test_manifest);

// Returns the content of a block by its SHA-256, or the errors of storage::BlobStore::Get.
using BlockReader = std::function<StatusOr<std::string>(const std::string& sha256)>;

// Returns the merge engine's view of a job. Reads no block: JobMaterial::initial_state calls
// `read_block` each time it computes state 0 from imported weights, and returns its errors. Returns
// errors of the spec.
StatusOr<JobMaterial> MaterialFromSpec(const std::string& spec, BlockReader read_block);

// Returns the names of the blocks in both manifests, in their order. A text may be empty: the job
// has no such manifest. Errors are those of dataset::ManifestFromJson.
StatusOr<std::vector<std::string>> BlocksOf(const std::string& train_manifest,
                                            const std::string& test_manifest);
// Returns the names of the blocks in a document stored under keys::InitialWeights, or DataLoss.
StatusOr<std::vector<std::string>> BlocksOfWeights(const std::string& stored);

}  // namespace dl::master
