// Real processes: dl-submit as a user runs it, a standing master and executors that a test kills,
// stops and starts again.
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

std::string Binary(const std::string& name);  // in the build's bin folder

struct Finished {
  int exit_code = -1;
  std::vector<Json> lines;  // of its standard output, each a JSON document
  std::string text;         // likewise, as it was
  std::string errors;       // standard error

  // The last line; an empty object when there is none.
  Json result() const { return lines.empty() ? Json::object() : lines.back(); }
};
// Runs dl-submit with these words to its end. `place`: words in front of the command, which say
// where it runs; empty: here.
Finished DlSubmit(const std::vector<std::string>& words, Duration limit = std::chrono::minutes(10),
                  const std::vector<std::string>& place = {});

// Armed in every process that is started while it lives (base/fail_point.h).
class ScopedFailPoints {
 public:
  explicit ScopedFailPoints(const char* list);
  ~ScopedFailPoints();
};

// Writes the spec into the folder; the file's path.
std::string WriteJob(const TempFolder& folder, const std::string& name, const job::JobSpec& spec);

// `run --master MASTER JOB --json` in a data folder of its own; the result line.
Json RunJob(const std::string& master, const std::string& job_file,
            const std::vector<std::string>& more = {});
// The result line that others are compared with: the job undisturbed, on local[2]. Its twin with
// another seed must end with another hash: one that nothing changes would show nothing. `data_dir`
// keeps what it stored; empty: nobody wants it.
Json RunReference(const std::string& job_file, const std::string& data_dir = "");
// The same for a hash that the job got elsewhere.
void ExpectAnotherSeedDiffers(const std::string& job_file, const std::string& state_sha256);

// A dl-submit in the foreground that is interrupted: `words` have to say --json.
class ForegroundRun {
 public:
  ForegroundRun(const TempFolder& folder, const std::vector<std::string>& words);
  // Reads its events until it told of that many, which are durable then.
  void ReadUntilCheckpoints(int count);
  void WaitForStop();  // until the process stands still (a fail point, SIGSTOP)
  void Continue();     // SIGCONT
  void Kill();         // SIGKILL
  void Signal(int signal);
  Finished Finish();  // the events that are left, to its end

 private:
  void ReadUntil(const std::function<bool(const Json&)>& holds);  // of an event

  std::string error_log_;
  std::unique_ptr<ChildProcess> child_;
};

// A standing cluster, on loopback if nobody says anything else.
class StandingCluster {
 public:
  // `data_dir`: the master's; empty: a folder below `folder`.
  explicit StandingCluster(const TempFolder& folder, std::string data_dir = "")
      : folder_(folder), data_dir_(data_dir.empty() ? folder / "master" : std::move(data_dir)) {}

  void LimitMasterFiles(int files) { files_ = files; }  // ulimit -n, from the next start on
  void UseSlots(int slots) { slots_ = slots; }          // of executors, from the next start on
  // More words for `master` and `executor`, from the next start on.
  void UseMasterFlags(std::vector<std::string> words) { master_flags_ = std::move(words); }
  void UseExecutorFlags(std::vector<std::string> words) { executor_flags_ = std::move(words); }
  // Where they run (DlSubmit), from the next start on; `host` is the master's for the others.
  void UseMasterPlace(std::vector<std::string> place, const std::string& host);
  void UseExecutorPlace(std::vector<std::string> place) { executor_place_ = std::move(place); }
  // Where all commands run, and more words for each of them.
  void UseClientPlace(std::vector<std::string> place, std::vector<std::string> words);
  void UsePort(int port) { port_ = port; }  // of the master, from the next start on
  void StartMaster();  // the first time on any free port, then on the same one again
  // The same where it may refuse: an exit code of -1 when it is ready, else how it ended and what
  // it said.
  Finished TryToStartMaster(const std::vector<std::string>& more = {});
  Finished WaitForMasterEnd();  // its exit code and its log
  bool MasterHasEnded();
  void KillMaster();       // SIGKILL
  void TerminateMaster();  // SIGTERM; it ends a little later
  void StartExecutor(const std::string& cache_dir = "",
                     const std::string& isa = "");  // appended to `executors`
  Status SignalExecutor(size_t index, int signal) { return executors_[index]->Signal(signal); }
  void Stop(size_t index);         // SIGSTOP
  void Continue(size_t index);     // SIGCONT
  void WaitForStop(size_t index);  // until the executor stands still
  // Of one that is stopped: until the master answered the question that it may have parked there.
  // Before that it would still be given work, which it does not hear of.
  void WaitUntilNothingIsParked(size_t index);
  void WaitForExecutor(size_t index);      // until the master lists it
  int WaitForExecutorEnd(size_t index);    // its exit code; 128 and the signal that ended it
  void KillExecutors();                    // all of them, SIGKILL
  std::string ExecutorName(size_t index);  // as the master lists it; empty when it does not
  const std::string& data_dir() const { return data_dir_; }
  void UseDataDir(std::string dir) { data_dir_ = std::move(dir); }  // from the next start on
  std::string ExecutorLog() const;                                  // of the one started last
  std::string MasterLog() const;                                    // likewise
  int port() const { return port_; }
  pid_t MasterPid() const { return master_->pid(); }
  pid_t ExecutorPid(size_t index) const { return executors_[index]->pid(); }
  rpc::Credentials credentials() const;  // of the master's own user
  std::string url() const { return "dl://" + host_ + ":" + std::to_string(port_); }

  std::string Submit(const std::string& job_file);  // detached; the job's id
  Json Job(const std::string& id);                  // as `status JOB --json` shows it
  // Waits until the job has committed at least `round`; its status then.
  Json WaitForRound(const std::string& id, int64_t round);
  // Waits until that holds of the job's status; the status then.
  Json WaitUntil(const std::string& id, const std::function<bool(const Json&)>& holds);
  Json Wait(const std::string& id);                   // the result line
  std::vector<Json> RoundLog(const std::string& id);  // its records, oldest first
  Json Cluster();
  // dl-submit COMMAND --master (this one) --json WORDS.
  Finished Ask(const std::string& command, const std::vector<std::string>& words = {});

 private:
  // dl-submit COMMAND --master (this one) WORDS.
  Finished Command(const std::string& command, const std::vector<std::string>& words) const;
  Json Executor(size_t index);  // as the master lists it; empty when it does not

  const TempFolder& folder_;
  std::string data_dir_;
  std::string host_ = "127.0.0.1";
  std::vector<std::string> master_place_, executor_place_, client_place_, client_words_;
  std::string master_log_, executor_log_;
  int port_ = 0;
  int slots_ = 1;
  std::vector<std::string> master_flags_, executor_flags_;
  int files_ = 0;  // 0: as many as this process may have
  int logs_ = 0;
  std::unique_ptr<ChildProcess> master_;
  std::vector<std::unique_ptr<ChildProcess>> executors_;
};

}  // namespace dl::test
