// Reads event files by a program that shares no code with the writer.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace dl::cli {

// Returns the events of a file as tests/unit/cli/read_event_file.py prints them. A damaged or
// incomplete file is a failure of the test.
std::vector<Json> ReadEventFile(const std::string& path);

// Returns the paths of the files in a folder; none if it does not exist.
std::vector<std::string> FilesIn(const std::string& folder);

// Returns NUMBER of a path that ends in events.out.tfevents.NUMBER.JOB.
int64_t NumberOfEventFile(const std::string& path);

}  // namespace dl::cli
