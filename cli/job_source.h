// JOB on a command line: a job program beside dl-submit, a path to one, or a .json file.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/process.h"
#include "base/status.h"

namespace dl::cli {

struct JobSource {
  enum class Kind { kProgram, kFile };
  Kind kind = Kind::kProgram;
  std::string path;
  std::vector<std::string> arguments;  // of a program: the words behind "--"
};

// The folder of this program.
StatusOr<std::string> ProgramFolder();

// Names in `folder` that can be executed and are not the house's own tools; sorted.
std::vector<std::string> JobPrograms(const std::string& folder);

// NotFound (exit code 4) with the nearest job program.
StatusOr<JobSource> FindJob(const std::string& text, const std::string& program_folder);

// The document as its author wrote it; nothing is checked but that it is JSON. Relative paths of
// data begin at a file's own folder. A program is asked with --print-job, and its arguments; what
// else it prints is passed over, what it says on stderr goes to `err`. One that fails is
// InvalidArgument with what it said.
StatusOr<Json> ReadJobDocument(const JobSource& source, Spawner& spawner, std::ostream& err);

// Relative paths in a job spec's datasets, or in a dataset by itself, begin at `folder`.
void AnchorDataPaths(Json& document, const std::string& folder);

// In what a program printed: the last JSON object that is a job's, or the last of any kind.
StatusOr<Json> JobAmong(const std::string& printed, const std::string& source);

}  // namespace dl::cli
