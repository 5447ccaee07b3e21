// Real processes: dl-submit as a user runs it, a standing master and executors that a test kills,
// stops and starts again.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/process.h"
#include "job/job_spec.h"
#include "tests/support/temp_folder.h"

namespace dl::test {

std::string Binary(const std::string& name);  // in the build's bin folder

struct Finished {
  int exit_code = -1;
  std::vector<Json> lines;  // of its standard output, each a JSON document
  std::string text;         // likewise, as it was
  std::string errors;       // standard error

  // The last line; an empty object when there is none.
  Json result() const { return lines.empty() ? Json::object() : lines.back(); }
};
// Runs dl-submit with these words to its end.
Finished DlSubmit(const std::vector<std::string>& words,
                  Duration limit = std::chrono::seconds(120));

// Writes the spec into the folder; the file's path.
std::string WriteJob(const TempFolder& folder, const std::string& name, const job::JobSpec& spec);

// `run --master MASTER JOB --json` in a data folder of its own; the result line.
Json RunJob(const std::string& master, const std::string& job_file,
            const std::vector<std::string>& more = {});

// A standing cluster on loopback.
class StandingCluster {
 public:
  explicit StandingCluster(const TempFolder& folder) : folder_(folder) {}

  void StartMaster();    // the first time on any free port, then on the same one again
  void KillMaster();     // SIGKILL
  void StartExecutor();  // appended to `executors`
  Status SignalExecutor(size_t index, int signal) { return executors_[index]->Signal(signal); }
  std::string url() const { return "dl://127.0.0.1:" + std::to_string(port_); }

  std::string Submit(const std::string& job_file);  // detached; the job's id
  Json Job(const std::string& id);                  // as `status JOB --json` shows it
  // Waits until the job has committed at least `round`; its status then.
  Json WaitForRound(const std::string& id, int64_t round);
  Json Wait(const std::string& id);  // the result line
  Json Cluster();

 private:
  const TempFolder& folder_;
  int port_ = 0;
  int logs_ = 0;
  std::unique_ptr<ChildProcess> master_;
  std::vector<std::unique_ptr<ChildProcess>> executors_;
};

}  // namespace dl::test
