// JOB on a command line: a job program beside dl-submit, a path to one, or a .json file.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/process.h"
#include "base/status.h"

namespace dl::cli {

struct JobSource {
  enum class Kind { kProgram, kFile };
  Kind kind = Kind::kProgram;
  std::string path;
};

// The folder of this program.
StatusOr<std::string> ProgramFolder();

// Names in `folder` that can be executed and are not the house's own tools; sorted.
std::vector<std::string> JobPrograms(const std::string& folder);

// NotFound (exit code 4) with the nearest job program.
StatusOr<JobSource> FindJob(const std::string& text, const std::string& program_folder);

// The document as its author wrote it; nothing is checked but that it is JSON. A program is asked
// with --print-job; one that fails is InvalidArgument with what it said.
StatusOr<Json> ReadJobDocument(const JobSource& source, Spawner& spawner);

}  // namespace dl::cli
