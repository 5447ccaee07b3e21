// Which masters of this user run on this machine, so that commands that name one by its address
// alone find its token: ~/.local/state/paravane/masters/PORT names the data folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace dl::launch {

// While it lives, the entry of one master is there; of two with one port, that of the later one.
// Where it cannot be written, a warning says what commands then need.
class MasterEntry {
 public:
  // Also removes the entries of masters that have ended.
  MasterEntry(int port, const std::string& data_dir);
  ~MasterEntry();
  MasterEntry(const MasterEntry&) = delete;
  MasterEntry& operator=(const MasterEntry&) = delete;

 private:
  std::string data_dir_;
  std::vector<std::string> paths_;  // of the entry; empty: it could not be written
};

// The data folder of this user's master at that loopback port; nullopt where none is known.
std::optional<std::string> DataFolderOfMaster(int port);

}  // namespace dl::launch
