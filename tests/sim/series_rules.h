// The figures of a job have a value for each round that counts, and for no other round. The times
// of units and the histograms are possible, whatever executors announce.
#pragma once

#include <string>

#include "tests/sim/audit.h"

namespace dl::sim {

// Compares the stored series of a job with its round log. The job has ended, and all its records
// are durable.
void CheckSeries(const Audit& audit, const std::string& job);

}  // namespace dl::sim
