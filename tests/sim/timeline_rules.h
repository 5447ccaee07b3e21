// The timeline of a job has each unit of each round that counts, with possible times.
#pragma once

#include <string>

#include "tests/sim/audit.h"

namespace dl::sim {

// Compares the stored timeline of a job with its round log. The job has ended, and all its records
// are durable.
void CheckTimeline(const Audit& audit, const std::string& job);

}  // namespace dl::sim
