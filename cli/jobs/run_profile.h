// The profile of a run (run --profile): where the time of all processes of its cluster goes, by
// layer, as one trace for Perfetto and Chrome.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "cli/command.h"
#include "launch/clusters/target.h"

namespace dl::cli {

// Uses the trace of this process (base/trace.h) and the variable DL_TRACE, so only one may exist at
// a time.
class RunProfile {
 public:
  // Starts recording in this process, and in those that it starts. Returns a usage error unless the
  // target is local[N] or local-cluster[N], because other executors may be on other machines. Also
  // returns it if DL_TRACE is set, which records too, if `file` is "-", or if its folder does not
  // exist. Returns the errors of making a temporary folder. Must be called before the cluster is
  // opened.
  static StatusOr<std::unique_ptr<RunProfile>> Start(const std::string& file,
                                                     const launch::Target& target,
                                                     const Context& context);
  // Discards the profile unless Write was called.
  ~RunProfile();
  RunProfile(const RunProfile&) = delete;
  RunProfile& operator=(const RunProfile&) = delete;

  // Stops recording and writes the file. Must be called after the cluster has ended. Returns errors
  // with exit code 74.
  Status Write(Context& context);

 private:
  RunProfile(std::string file, std::string folder)
      : file_(std::move(file)), folder_(std::move(folder)) {}

  const std::string file_;
  const std::string folder_;  // of the traces of other processes
};

}  // namespace dl::cli
