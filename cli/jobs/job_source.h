// Finds and reads the JOB of a command line: a job program next to dl-submit, the path of a job
// program, or a .json file.
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
  std::vector<std::string> arguments;  // arguments of a program, after "--"
};

// Returns the folder of this program. Returns the errors of OwnProgram.
StatusOr<std::string> ProgramFolder();

// Returns the names of the executable files in `folder`, sorted. Leaves out the tools of Paravane
// ("dl-*", "dl_*") and tests ("*_test").
std::vector<std::string> JobPrograms(const std::string& folder);

// Finds the job. Returns NotFound (exit code 4) with the most similar job program if it does not
// exist.
StatusOr<JobSource> FindJob(const std::string& text, const std::string& program_folder);

// Returns the document. Checks only that it is JSON. AnchorDataPaths makes relative paths of data
// in a file begin at the folder of the file. A program is called with --print-job and its
// arguments. Its other output is ignored. If it succeeds, its standard error is copied to `err`. If
// it fails or does not end in time, returns InvalidArgument with its message. It has
// limits::kPrintJobTimeout to end its output, and then as long to end. Returns UsageError if a file
// has arguments, errors of reading the file or starting the program, and errors of JobAmong.
StatusOr<Json> ReadJobDocument(const JobSource& source, Spawner& spawner, std::ostream& err);

// Makes relative paths in the datasets and initial weights of a job spec, or in a single dataset,
// begin at `folder`.
void AnchorDataPaths(Json& document, const std::string& folder);

// Returns the document in the output of a job program. If all of `printed` is one JSON value,
// returns that value. Otherwise returns the last JSON object with the key "model", or else the last
// JSON object. An object must begin at the start of a line, and end at the end of that line or at a
// line that begins with "}". At most 1000 are tried. Returns InvalidArgument, which names `source`,
// if there is none.
StatusOr<Json> JobAmong(const std::string& printed, const std::string& source);

}  // namespace dl::cli
