// The data of a simulated job, as the master stores it: blocks, and a manifest that names them.
#pragma once

#include <string>
#include <vector>

#include "tests/sim/sim_job.h"

namespace dl::sim {

// Returns the contents of the blocks of the job's data. Jobs share blocks.
std::vector<std::string> BlocksOf(const SimJob& job);
// Returns a manifest that names these blocks.
std::string ManifestOf(const std::vector<std::string>& blocks);

}  // namespace dl::sim
