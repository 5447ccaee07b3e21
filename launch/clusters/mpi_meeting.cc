#include "launch/clusters/mpi_meeting.h"

#include <filesystem>

#include "base/files.h"
#include "base/json.h"
#include "base/limits.h"

namespace dl::launch {

std::string MpiMeetingFile(const std::string& data_dir) { return data_dir + "/mpi.json"; }

Status AnnounceMpiMeeting(const std::string& data_dir, const MpiMeeting& meeting) {
  const Json json = {{"format", 1},
                     {"isa", meeting.isa},
                     {"master", meeting.master_url},
                     {"token_file", meeting.token_file}};
  return AtomicWriteFile(MpiMeetingFile(data_dir), JsonText(json) + "\n");
}

StatusOr<std::optional<MpiMeeting>> ReadMpiMeeting(const std::string& data_dir) {
  const std::string path = MpiMeetingFile(data_dir);
  const auto text = ReadFile(path, limits::kMaxJsonBytes);
  if (absl::IsNotFound(text.status())) return std::nullopt;
  if (!text.ok()) return text.status();
  DL_ASSIGN_OR_RETURN(const Json json, ParseJson(*text, path));
  JsonObjectReader reader(json, path);
  MpiMeeting meeting;
  int64_t format = 0;
  for (const char* key : {"format", "isa", "master", "token_file"}) reader.Require(key);
  reader.Int("format", format, {.min = 1, .max = 1});
  reader.String("isa", meeting.isa);
  reader.String("master", meeting.master_url);
  reader.String("token_file", meeting.token_file);
  DL_RETURN_IF_ERROR(reader.Finish());
  return meeting;
}

void EndMpiMeeting(const std::string& data_dir) {
  std::error_code ignored;
  std::filesystem::remove(MpiMeetingFile(data_dir), ignored);
}

}  // namespace dl::launch
