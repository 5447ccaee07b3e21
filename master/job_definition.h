// Converts the documents of a submission to the inputs of the core and the merge engine. The same
// documents give the same result after every restart.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "master/core/job/definition.h"
#include "master/merge/round_state.h"

namespace dl::master {

// Validates the spec, the manifests, and that they match. Returns InvalidArgument with all
// mistakes.
StatusOr<JobDefinition> DefinitionFromDocuments(const std::string& id, const std::string& spec,
                                                const std::string& train_manifest,
                                                const std::string& test_manifest);

// Returns a block of a job by its SHA-256, as storage::BlobStore::Get.
using BlockReader = std::function<StatusOr<std::string>(const std::string& sha256)>;

// `read_block` is called for the initial weights whenever state 0 is computed.
StatusOr<JobMaterial> MaterialFromSpec(const std::string& spec, BlockReader read_block);

// Returns the names of all blocks of a job's data.
StatusOr<std::vector<std::string>> BlocksOf(const std::string& train_manifest,
                                            const std::string& test_manifest);
// Returns the names of the blocks in a document stored under keys::InitialWeights.
StatusOr<std::vector<std::string>> BlocksOfWeights(const std::string& stored);

}  // namespace dl::master
