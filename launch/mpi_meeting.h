// The file by which the ranks of an MPI launch find their master: DATA_DIR/mpi.json, in a folder
// that all ranks share. It exists while rank 0 wants executors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"

namespace dl::launch {

struct MpiMeeting {
  std::string master_url, token_file;
  std::string isa;  // of the executors; empty: the best of their machine

  bool operator==(const MpiMeeting&) const = default;
};

std::string MpiMeetingFile(const std::string& data_dir);
// Writes the file, also over one that an earlier run left.
Status AnnounceMpiMeeting(const std::string& data_dir, const MpiMeeting& meeting);
// nullopt where there is no file. InvalidArgument for a file that is none of these.
StatusOr<std::optional<MpiMeeting>> ReadMpiMeeting(const std::string& data_dir);
// Removes the file: executors end.
void EndMpiMeeting(const std::string& data_dir);

}  // namespace dl::launch
