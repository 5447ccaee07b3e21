// Machines with a network between them: each is a network namespace with a cable to one switch. All
// of it belongs to this process and goes with it, however it ends.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "tests/support/temp_folder.h"

namespace dl::test {

enum class Direction { kIncoming, kOutgoing };

class Machine {
 public:
  const std::string& name() const { return name_; }
  const std::string& v4() const { return v4_; }
  const std::string& v6() const { return v6_; }
  const std::string& home() const { return home_; }  // its user's home folder

  // In front of a command's words: it runs there, in the process that is started. What its user has
  // is there too: masters of other machines, at the same port, leave their notes elsewhere.
  std::vector<std::string> place() const;
  // The calling thread's sockets are there from now on.
  void Enter() const;

  void Unplug();  // the cable: nobody is told
  void Plug();
  // So many of a hundred packets are lost, at random; 0: none any more.
  void Lose(Direction direction, int percent);
  // Of what the other one sends here, packets of more than so many bytes are lost on the way, and
  // nobody is told; 0: none any more.
  void LoseLarge(const Machine& from, int bytes);
  void LimitRate(int megabits);  // a second, of its link, each way

  // What it takes a name for, from now on; all machines know each other's, NAME and NAME-v6.
  void Resolve(const std::string& name, const std::string& address);

 private:
  friend class Network;
  Machine(std::string name, int number, const TempFolder& folder);
  void WriteHosts() const;

  const std::string name_, port_, v4_, v6_, hosts_path_, home_;
  FileDescriptor space_;
  std::vector<std::pair<std::string, std::string>> names_;  // and their addresses
};

class Network {
 public:
  // Why this process cannot have one; empty where it can.
  static std::string WhyNot();

  Network();
  ~Network();
  Machine& Add(const std::string& name);
  Machine& Find(const std::string& name);  // one that was added

 private:
  const TempFolder folder_;
  std::vector<std::unique_ptr<Machine>> machines_;
};

}  // namespace dl::test
