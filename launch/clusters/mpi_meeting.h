// The file through which the ranks of an MPI launch find their master: DATA_DIR/mpi.json, in a
// folder that all ranks share. It exists while rank 0 needs executors. A rank 0 that was killed
// leaves it until the next run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"

namespace dl::launch {

struct MpiMeeting {
  std::string master_url;  // dl://host:port
  std::string token_file;  // path of the executors' token, which all ranks can read
  std::string isa;         // instruction set of the executors; empty: the best of their machine

  bool operator==(const MpiMeeting&) const = default;
};

std::string MpiMeetingFile(const std::string& data_dir);  // DATA_DIR/mpi.json
// Writes the file. Replaces a file of an earlier run. Returns the errors of AtomicWriteFile.
Status AnnounceMpiMeeting(const std::string& data_dir, const MpiMeeting& meeting);
// Returns nullopt if the file does not exist, InvalidArgument if it is not valid, and errors of the
// file system.
StatusOr<std::optional<MpiMeeting>> ReadMpiMeeting(const std::string& data_dir);
// Removes the file, after which executors end. Ignores errors.
void EndMpiMeeting(const std::string& data_dir);

}  // namespace dl::launch
