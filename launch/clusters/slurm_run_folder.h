// A run on Slurm. Its folder in the data folder is shared by the command that submits it and by the
// batch job.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "launch/clusters/target.h"

namespace dl::launch {

// Describes the folder DATA_DIR/slurm/RUN. The folder may be deleted after the end of the run.
class SlurmRun {
 public:
  // Creates a run with a new folder. Returns errors of the file system.
  static StatusOr<SlurmRun> Create(const std::string& data_dir);
  explicit SlurmRun(std::string folder) : folder_(std::move(folder)) {}

  const std::string& folder() const { return folder_; }
  std::string name() const { return folder_.substr(folder_.rfind('/') + 1); }
  std::string job_file() const { return folder_ + "/job.json"; }  // the job spec
  std::string script() const { return folder_ + "/batch.sh"; }
  std::string output() const { return folder_ + "/events"; }  // JSON lines, of all starts
  std::string log() const { return folder_ + "/log"; }        // log of the batch job, for users

  // Returns the job that the batch job has submitted. A requeued batch job continues with this job.
  // Returns nullopt if no job has been submitted, or if the record cannot be read.
  std::optional<std::string> Job() const;
  // Records the job that the batch job has submitted. Returns the errors of AtomicWriteFile.
  Status RecordJob(const std::string& id) const;

  // Writes the batch script. It executes `program` (dl-submit) with `words` inside the allocation.
  // Returns the errors of AtomicWriteFile.
  Status WriteScript(const std::string& program, const std::vector<std::string>& words) const;
  // Returns the value of --master for the command in the batch script.
  std::string BatchMaster(const Target& slurm) const;

 private:
  std::string folder_;
};

}  // namespace dl::launch
