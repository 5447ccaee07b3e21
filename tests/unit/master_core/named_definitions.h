// Specs of these tests are names of job definitions.
#pragma once

#include <string>

#include "master/core/job/definition.h"

namespace dl::master {

std::string NameDefinition(JobDefinition definition);
// A DefinitionMaker that uses the spec alone.
StatusOr<JobDefinition> FindDefinition(const std::string& id, const std::string& spec,
                                       const std::string& train_manifest,
                                       const std::string& test_manifest);

}  // namespace dl::master
