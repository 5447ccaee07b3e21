// Time, randomness, locks, sockets, sleeps and processes enter through seams: what may be called
// directly, and where.
#pragma once

#include "tests/tidy/source_file.h"

namespace dl::tidy {

Violations CheckSeams(const SourceFile& file);

}  // namespace dl::tidy
