// One run on Slurm: a folder in the data folder that the command which submitted it and the batch
// job share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "launch/target.h"

namespace dl::launch {

// DATA_DIR/slurm/RUN; may be deleted behind the run's end.
class SlurmRun {
 public:
  // A new one.
  static StatusOr<SlurmRun> Create(const std::string& data_dir);
  explicit SlurmRun(std::string folder) : folder_(std::move(folder)) {}

  const std::string& folder() const { return folder_; }
  std::string name() const { return folder_.substr(folder_.rfind('/') + 1); }
  std::string job_file() const { return folder_ + "/job.json"; }  // the frozen job spec
  std::string script() const { return folder_ + "/batch.sh"; }
  std::string output() const { return folder_ + "/events"; }  // JSON lines, of all its lives
  std::string log() const { return folder_ + "/log"; }        // what the batch job says to people

  // The job that the batch job submitted, which it goes on with when it is started again; nullopt
  // where there is none yet.
  std::optional<std::string> Job() const;
  Status NoteJob(const std::string& id) const;

  // The batch script: this dl-submit with `words`, from inside the allocation.
  Status WriteScript(const std::string& program, const std::vector<std::string>& words) const;
  // What the words behind --master say there.
  std::string BatchMaster(const Target& slurm) const;

 private:
  std::string folder_;
};

}  // namespace dl::launch
