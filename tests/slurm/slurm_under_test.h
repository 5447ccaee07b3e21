// A real Slurm of four nodes on this machine: its own daemons, ports, sockets and spool folders,
// which all end with the test.
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
  // Why this process cannot have one; empty where it can.
  static std::string WhyNot();

  // Commands that are started while it lives mean this one (SLURM_CONF).
  SlurmUnderTest();
  ~SlurmUnderTest();

  void WaitUntilIdle(int nodes);  // so many have nothing to do, and are there
  // What a command of Slurm prints; a failed one fails the test.
  std::string Ask(const std::vector<std::string>& words);
  std::string Jobs();     // "ID STATE" lines, of those that have not ended
  std::string OnlyJob();  // the id of the one that there is

  // Waits until that job is requeued, and lets it start now: Slurm would wait for minutes.
  void StartRequeued(const std::string& id);

  // Kills the daemon of node 1 to 4 and lets Slurm know that the node is lost. What runs there goes
  // on.
  void LoseNode(int node);
  void ReturnNode(int node);  // a lost one: its daemon is started again

  // Kills what the batch script started, and who watches over it, as the loss of their machine
  // does.
  void KillBatch();

  // Processes of its jobs; with a word, those of `dl-submit WORD`, but who watches over one.
  std::vector<pid_t> Processes(const std::string& word = "") const;
  // Waits until there are so many of `dl-submit WORD`.
  std::vector<pid_t> WaitForProcesses(const std::string& word, size_t count);
  void WaitForStop(pid_t process);  // until it stands still
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
