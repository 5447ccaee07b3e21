// Registry of the masters of this user. The file ~/.local/state/paravane/masters/PORT of a master
// names its data folder. A command that has only the address of a master reads the token in that
// folder. The file is written to both home folders if the user has two (HomeFolders in
// launch/user.h). Machines that share a home folder share the registry.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace dl::launch {

// The entry of one master. The constructor writes it. The destructor removes it, unless another
// master has replaced it. If two masters have the same port, the later one replaces the entry. If
// the entry cannot be written to any home folder, a warning in the log names the flag that commands
// need.
class MasterEntry {
 public:
  // Also removes the entries of masters on this machine that have ended.
  MasterEntry(int port, const std::string& data_dir);
  ~MasterEntry();
  MasterEntry(const MasterEntry&) = delete;
  MasterEntry& operator=(const MasterEntry&) = delete;

 private:
  std::string data_dir_;
  std::vector<std::string> paths_;  // one per home folder; empty: the entry could not be written
};

// Returns the data folder in the entry of this port; nullopt if no entry exists. The master may
// have ended, or may run on another machine or in a container that shares the home folder.
std::optional<std::string> DataFolderOfMaster(int port);

}  // namespace dl::launch
