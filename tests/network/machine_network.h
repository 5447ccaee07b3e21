// Machines with a network between them. Each machine is a network namespace with a cable to one
// switch. All namespaces belong to this process and disappear with it, however it ends.
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
  const std::string& home() const { return home_; }  // home folder of its user

  // Words to put before a command, so that it runs on this machine in the process that is started.
  // The user's home folder differs between machines, so that masters at the same port keep their
  // notes apart.
  std::vector<std::string> place() const;
  // Moves the calling thread to this machine: the sockets that it creates from now on belong to it.
  void Enter() const;

  // Disconnects the cable. No process is notified.
  void Unplug();
  void Plug();
  // Drops that percentage of packets at random. 0: drops none.
  void Lose(Direction direction, int percent);
  // Drops packets that arrive here from the other machine and have more than `bytes` bytes. No
  // process is notified. 0: drops none.
  void LoseLarge(const Machine& from, int bytes);
  void LimitRate(int megabits);  // limits its link to this rate per second in each direction

  // Changes the address of a name on this machine. By default each machine knows the names of all
  // machines, NAME and NAME-v6.
  void Resolve(const std::string& name, const std::string& address);

 private:
  friend class Network;
  Machine(std::string name, int number, const TempFolder& folder);
  void WriteHosts() const;

  const std::string name_, port_, v4_, v6_, hosts_path_, home_;
  FileDescriptor space_;
  std::vector<std::pair<std::string, std::string>> names_;  // names and their addresses
};

class Network {
 public:
  // Returns why this process cannot create a network. Empty if it can.
  static std::string WhyNot();

  Network();
  ~Network();
  Machine& Add(const std::string& name);
  Machine& Find(const std::string& name);  // REQUIRES: it was added

 private:
  const TempFolder folder_;
  std::vector<std::unique_ptr<Machine>> machines_;
};

}  // namespace dl::test
