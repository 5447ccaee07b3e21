// From the documents of a submission to what the core and the merge engine work with. The same
// documents give the same answer after every restart.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "master/core/job/definition.h"
#include "master/merge/job_state.h"

namespace dl::master {

// Validates everything: spec, manifests, and that they fit each other. InvalidArgument lists every
// mistake.
StatusOr<JobDefinition> DefinitionFromDocuments(const std::string& id, const std::string& spec,
                                                const std::string& train_manifest,
                                                const std::string& test_manifest);

// Blocks of a job by their SHA-256, as storage::BlobStore::Get.
using BlockReader = std::function<StatusOr<std::string>(const std::string& sha256)>;

// `read_block` is asked for the weights that the job begins with, each time that they are made.
StatusOr<JobMaterial> MaterialFromSpec(const std::string& spec, BlockReader read_block);

// Names of all blocks of a job's data.
StatusOr<std::vector<std::string>> BlocksOf(const std::string& train_manifest,
                                            const std::string& test_manifest);
// Those of what is stored under keys::InitialWeights.
StatusOr<std::vector<std::string>> BlocksOfWeights(const std::string& stored);

}  // namespace dl::master
