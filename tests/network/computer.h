// A machine with an sshd, a process namespace and a host name of its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/process.h"
#include "tests/network/machine_network.h"
#include "tests/support/temp_folder.h"

namespace dl::test {

// Keys of hosts and of a user, made with ssh-keygen. The user may log in as root.
class SshKeys {
 public:
  explicit SshKeys(const TempFolder& folder);
  // `ssh -F FILE` with the right key and known host keys.
  std::string command() const { return "ssh -F " + config_; }
  // `ssh -F FILE` with the right key, but without known host keys.
  std::string command_of_a_stranger() const { return "ssh -F " + stranger_; }

  const std::string& host_key() const { return host_key_; }
  const std::string& authorized() const { return authorized_; }

 private:
  std::string host_key_, authorized_, config_, stranger_;
};

// All processes of the machine end with this object.
class Computer {
 public:
  // Returns why this process cannot create such a machine. Empty if it can.
  static std::string WhyNot();

  // `authorized` is the file of authorized keys; empty: nothing may log in. dl-submit keeps its
  // state of this machine in `state_dir`.
  Computer(const Machine& machine, const SshKeys& keys, const TempFolder& folder,
           const std::string& authorized);

  // Words to put before a command, so that it runs as if a user had logged in.
  std::vector<std::string> place() const;
  const std::string& state_dir() const { return state_dir_; }
  const std::string& name() const { return name_; }

 private:
  const std::string name_, home_, state_dir_;
  std::unique_ptr<ChildProcess> process_;
  pid_t first_ = 0;  // process 1 of the machine
};

}  // namespace dl::test
