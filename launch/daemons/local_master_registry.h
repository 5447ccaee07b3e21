// Registry of the masters of this user on this machine. ~/.local/state/paravane/masters/PORT names
// the data folder of a master. Commands that name a master only by its address find its token
// there.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace dl::launch {

// Keeps the entry of one master while it exists. If two masters have the same port, the later one
// has the entry. If the entry cannot be written, a warning says which flag commands need.
class MasterEntry {
 public:
  // Also removes the entries of masters that have ended.
  MasterEntry(int port, const std::string& data_dir);
  ~MasterEntry();
  MasterEntry(const MasterEntry&) = delete;
  MasterEntry& operator=(const MasterEntry&) = delete;

 private:
  std::string data_dir_;
  std::vector<std::string> paths_;  // paths of the entry; empty: it could not be written
};

// Returns the data folder of this user's master at that port of this machine; nullopt if no entry
// exists. The master may have ended.
std::optional<std::string> DataFolderOfMaster(int port);

}  // namespace dl::launch
