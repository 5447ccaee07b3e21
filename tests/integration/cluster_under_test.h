// Runs real processes: dl-submit as a user runs it, a standing master, and executors that a test
// kills, stops and restarts.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/process.h"
#include "job/job_spec.h"
#include "rpc/client.h"
#include "tests/support/temp_folder.h"

namespace dl::test {

// Returns the path of a program in the build's bin folder.
std::string Binary(const std::string& name);

struct Finished {
  int exit_code = -1;
  std::vector<Json> lines;  // the lines of standard output, each a JSON document
  std::string text;         // standard output as text
  std::string errors;       // standard error

  // Returns the last line. An empty object if there is none.
  Json result() const { return lines.empty() ? Json::object() : lines.back(); }
};
// Runs dl-submit with these arguments until it ends. `place` contains words before the command that
// select the machine or user; empty: this machine and user.
Finished DlSubmit(const std::vector<std::string>& words, Duration limit = std::chrono::minutes(10),
                  const std::vector<std::string>& place = {});

// Arms the fail points in every process that is started during its lifetime (base/fail_point.h).
class ScopedFailPoints {
 public:
  explicit ScopedFailPoints(const char* list);
  ~ScopedFailPoints();
};

// Writes the spec into the folder. Returns the path of the file.
std::string WriteJob(const TempFolder& folder, const std::string& name, const job::JobSpec& spec);

// Runs `run --master MASTER JOB --json` in a new data folder. Returns the result line.
Json RunJob(const std::string& master, const std::string& job_file,
            const std::vector<std::string>& more = {});
// Runs the job undisturbed on local[2] and returns the result line, with which other runs are
// compared. Also checks that another seed gives another hash: a hash that nothing changes would
// prove nothing. The job's data is stored in `data_dir`; empty: in a temporary folder.
Json RunReference(const std::string& job_file, const std::string& data_dir = "");
// Makes the same check for a hash that was computed elsewhere.
void ExpectAnotherSeedDiffers(const std::string& job_file, const std::string& state_sha256);

// A dl-submit in the foreground that a test interrupts. `words` must contain --json.
class ForegroundRun {
 public:
  ForegroundRun(const TempFolder& folder, const std::vector<std::string>& words);
  // Reads events until that many checkpoints are reported. Reported checkpoints are durable.
  void ReadUntilCheckpoints(int count);
  void WaitForStop();  // until a fail point or SIGSTOP stops the process
  void Continue();     // SIGCONT
  void Kill();         // SIGKILL
  void Signal(int signal);
  Finished Finish();  // reads the remaining events until the process ends

 private:
  void ReadUntil(const std::function<bool(const Json&)>& holds);  // until an event satisfies it

  std::string error_log_;
  std::unique_ptr<ChildProcess> child_;
};

// A standing cluster. By default it runs on loopback.
class StandingCluster {
 public:
  // `data_dir` is the master's data folder; empty: a folder below `folder`.
  explicit StandingCluster(const TempFolder& folder, std::string data_dir = "")
      : folder_(folder), data_dir_(data_dir.empty() ? folder / "master" : std::move(data_dir)) {}

  void LimitMasterFiles(int files) { files_ = files; }  // ulimit -n, from the next start on
  void UseSlots(int slots) { slots_ = slots; }          // of executors, from the next start on
  // Adds arguments of `master` and `executor`, from the next start on.
  void UseMasterFlags(std::vector<std::string> words) { master_flags_ = std::move(words); }
  void UseExecutorFlags(std::vector<std::string> words) { executor_flags_ = std::move(words); }
  // Words that select where the processes run (see DlSubmit), from the next start on. `host` is the
  // name by which other machines reach the master.
  void UseMasterPlace(std::vector<std::string> place, const std::string& host);
  void UseExecutorPlace(std::vector<std::string> place) { executor_place_ = std::move(place); }
  // Selects where all commands run, and adds arguments to each of them.
  void UseClientPlace(std::vector<std::string> place, std::vector<std::string> words);
  void UsePort(int port) { port_ = port; }  // of the master, from the next start on
  // The first start uses any free port. Later starts use the same port again.
  void StartMaster();
  // Starts a master that may refuse to start. Returns the exit code -1 if the master is ready, else
  // its exit code and output.
  Finished TryToStartMaster(const std::vector<std::string>& more = {});
  Finished WaitForMasterEnd();  // returns its exit code and its log
  bool MasterHasEnded();
  void KillMaster();       // SIGKILL
  void TerminateMaster();  // SIGTERM; returns before the master ends
  void StartExecutor(const std::string& cache_dir = "",
                     const std::string& isa = "");  // gets the next index, from 0 on
  Status SignalExecutor(size_t index, int signal) { return executors_[index]->Signal(signal); }
  void Stop(size_t index);         // SIGSTOP
  void Continue(size_t index);     // SIGCONT
  void WaitForStop(size_t index);  // until the executor has been stopped
  // Waits until the master has answered a request for work of a stopped executor. Until then the
  // master may lease it units, which the executor does not receive.
  void WaitUntilNothingIsParked(size_t index);
  void WaitForExecutor(size_t index);  // until the master lists it
  // Returns its exit code, or 128 plus the signal that ended it.
  int WaitForExecutorEnd(size_t index);
  void WaitForExecutorLog(const std::string& text);  // until the log of the last one has the text
  void KillExecutors();                              // SIGKILL for all of them
  // Returns the name by which the master lists it. Empty if the master does not list it.
  std::string ExecutorName(size_t index);
  const std::string& data_dir() const { return data_dir_; }
  void UseDataDir(std::string dir) { data_dir_ = std::move(dir); }  // from the next start on
  std::string ExecutorLog() const;                                  // of the last one started
  std::string MasterLog() const;                                    // of the last start
  int port() const { return port_; }
  // The address of the pages with a login code. Empty without --http.
  const std::string& page() const { return page_; }
  pid_t MasterPid() const { return master_->pid(); }
  pid_t ExecutorPid(size_t index) const { return executors_[index]->pid(); }
  rpc::Credentials credentials() const;  // of the user that runs the master
  std::string url() const { return "dl://" + host_ + ":" + std::to_string(port_); }

  std::string Submit(const std::string& job_file);  // submits with --detach; returns the job's id
  Json Job(const std::string& id);                  // as `status JOB --json` shows it
  // Waits until the job has committed at least `round`. Returns its status then.
  Json WaitForRound(const std::string& id, int64_t round);
  // Waits until the job's status satisfies `holds`. Returns this status.
  Json WaitUntil(const std::string& id, const std::function<bool(const Json&)>& holds);
  Json Wait(const std::string& id);                   // returns the result line
  std::vector<Json> RoundLog(const std::string& id);  // returns the records, oldest first
  Json Cluster();
  // Runs dl-submit COMMAND --master (this one) --json WORDS.
  Finished Ask(const std::string& command, const std::vector<std::string>& words = {});

 private:
  // Runs dl-submit COMMAND --master (this one) WORDS.
  Finished Command(const std::string& command, const std::vector<std::string>& words) const;
  Json Executor(size_t index);  // as the master lists it; empty if it does not

  const TempFolder& folder_;
  std::string data_dir_;
  std::string host_ = "127.0.0.1";
  std::vector<std::string> master_place_, executor_place_, client_place_, client_words_;
  std::string master_log_, executor_log_;
  int port_ = 0;
  std::string page_;
  int slots_ = 1;
  std::vector<std::string> master_flags_, executor_flags_;
  int files_ = 0;  // 0: the limit of this process
  int logs_ = 0;
  std::unique_ptr<ChildProcess> master_;
  std::vector<std::unique_ptr<ChildProcess>> executors_;
};

}  // namespace dl::test
