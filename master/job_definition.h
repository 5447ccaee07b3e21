// From the documents of a submission to what the core and the merge engine work with. The same
// documents give the same answer after every restart.
#pragma once

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

StatusOr<JobMaterial> MaterialFromSpec(const std::string& spec);

// Names of all blocks that a job reads.
StatusOr<std::vector<std::string>> BlocksOf(const std::string& train_manifest,
                                            const std::string& test_manifest);

}  // namespace dl::master
