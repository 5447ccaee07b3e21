// A real Slurm of four nodes on this machine. It has its own daemons, ports, sockets and spool
// folders, which all end with the test.
#pragma once

#include <sys/types.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/process.h"
#include "tests/support/temp_folder.h"

namespace dl::test {

class SlurmUnderTest {
 public:
  // Returns why this process cannot run a Slurm. Empty if it can.
  static std::string WhyNot();

  // Sets SLURM_CONF, so that commands started during its lifetime use this Slurm.
  SlurmUnderTest();
  ~SlurmUnderTest();

  void WaitUntilIdle(int nodes);  // waits until that many nodes are idle
  // Returns the output of a Slurm command. A failed command fails the test.
  std::string Ask(const std::vector<std::string>& words);
  // Returns a line "ID STATE" for each job that has not ended.
  std::string Jobs();
  // Returns the id of the only job.
  std::string OnlyJob();

  // Waits until that job is requeued and starts it at once. Slurm itself would wait for minutes.
  void StartRequeued(const std::string& id);

  // Kills the daemon of a node (1 to 4) and reports the node to Slurm as lost. Processes on the
  // node keep running.
  void LoseNode(int node);
  void ReturnNode(int node);  // restarts the daemon of a lost node

  // Kills the processes of the batch script and Slurm's process that watches them, as the loss of
  // their machine would.
  void KillBatch();

  // Returns the processes of this Slurm's jobs. With a word: only the processes of `dl-submit
  // WORD`, without Slurm's processes that watch them.
  std::vector<pid_t> Processes(const std::string& word = "") const;
  // Waits until there are `count` processes of `dl-submit WORD`.
  std::vector<pid_t> WaitForProcesses(const std::string& word, size_t count);
  void WaitForStop(pid_t process);  // waits until a signal has stopped the process
  static pid_t ParentOf(pid_t process);

 private:
  void BringUp();
  void WriteConfig();
  void StartNode(int node);
  void Start(const std::string& name, const std::vector<std::string>& words,
             std::unique_ptr<ChildProcess>& daemon);

  const TempFolder folder_;
  std::unique_ptr<ChildProcess> munged_, controller_;
  std::array<std::unique_ptr<ChildProcess>, 4> nodes_;
};

}  // namespace dl::test
