// A machine that people log in to: sshd on it, processes of its own, a name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/process.h"
#include "tests/network/network.h"
#include "tests/support/temp_folder.h"

namespace dl::test {

// The keys by which they know one another and let root in; made with ssh-keygen.
class SshKeys {
 public:
  explicit SshKeys(const TempFolder& folder);
  // `ssh -F FILE`, of a user with the right key, who knows each machine's.
  std::string command() const { return "ssh -F " + config_; }
  // The same, who knows none of them.
  std::string command_of_a_stranger() const { return "ssh -F " + stranger_; }

  const std::string& host_key() const { return host_key_; }
  const std::string& authorized() const { return authorized_; }

 private:
  std::string host_key_, authorized_, config_, stranger_;
};

// All that runs on it ends with it.
class Computer {
 public:
  // Why this process cannot have one; empty where it can.
  static std::string WhyNot();

  // `authorized`: who is let in; empty: nobody. dl-submit has its state there in `state_dir`.
  Computer(const Machine& machine, const SshKeys& keys, const TempFolder& folder,
           const std::string& authorized);

  // In front of a command's words: as if somebody had logged in.
  std::vector<std::string> place() const;
  const std::string& state_dir() const { return state_dir_; }
  const std::string& name() const { return name_; }

 private:
  const std::string name_, home_, state_dir_;
  std::unique_ptr<ChildProcess> process_;
  pid_t first_ = 0;  // its process 1
};

}  // namespace dl::test
