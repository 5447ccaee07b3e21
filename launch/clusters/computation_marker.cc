#include "launch/clusters/computation_marker.h"

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "base/control_groups.h"
#include "base/files.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/machine_memory.h"
#include "launch/daemons/boot_id.h"

namespace dl::launch {
namespace {

std::string TextOf(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}
int64_t NumberOf(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number_integer() ? found->get<int64_t>() : 0;
}

}  // namespace

ComputationMarker ComputationMarker::Read(const std::string& data_dir) {
  ComputationMarker marker(data_dir + "/computing");
  const auto text = ReadFile(marker.path_, limits::kMaxSpecBytes);
  const auto json = text.ok() ? ParseJson(*text, marker.path_) : text.status();
  if (!json.ok() || !json->is_object()) return marker;
  if (const auto deaths = json->find("deaths"); deaths != json->end() && deaths->is_object()) {
    for (const auto& [job, count] : deaths->items()) {
      if (count.is_number_integer()) marker.deaths_[job] = count.get<int64_t>();
    }
  }
  const auto computing = json->find("computing");
  if (computing == json->end() || !computing->is_object()) return marker;
  marker.was_killed_ = TextOf(*computing, "machine_start") == MachineBootId();
  marker.killed_for_memory_ = CountMemoryKills(TextOf(*computing, "memory_kill_counter")) >
                              NumberOf(*computing, "memory_kills");
  marker.limit_ = TextOf(*computing, "memory_limit");
  return marker;
}

Status ComputationMarker::CountDeath(const std::string& job) {
  const int64_t deaths = ++deaths_[job];
  // When a job is given up, its count starts again at 0 for later attempts.
  const bool given_up = deaths >= kMaxDeaths || killed_for_memory_;
  if (given_up) deaths_.erase(job);
  // On a full disk this death is not counted.
  if (const Status written = Write(/*computing=*/false); !written.ok())
    LogWarning("the death of a process is not counted: ", DescribeError(written));
  if (!given_up) return absl::OkStatus();
  const std::string killer = limit_.empty() ? "the kernel, for lack of memory" : limit_;
  const std::string times =
      deaths == 1 ? "the process that computed it ended without an error"
                  : absl::StrCat("the process that computed it ended without an error ", deaths,
                                 " times in a row");
  return ResourceExhausted(
      {.message =
           absl::StrCat("killed, probably by ", killer, ": ", times,
                        killed_for_memory_ ? ", and the kernel reports a kill for memory" : ""),
       .where = job,
       .remedy = absl::StrCat("Raise the limit, or submit it with a smaller training.batch_size; "
                              "then dl-submit resume ",
                              job)});
}

Status ComputationMarker::Begin() { return Write(/*computing=*/true); }

void ComputationMarker::Clear() {
  deaths_.clear();
  unlink(path_.c_str());
}

Status ComputationMarker::Write(bool computing) const {
  Json marker = {{"deaths", deaths_}};
  if (computing) {
    const std::string counter = FindMemoryKillCounter();
    marker["computing"] = {{"machine_start", MachineBootId()},
                           {"memory_kill_counter", counter},
                           {"memory_kills", CountMemoryKills(counter)},
                           {"memory_limit", FindAvailableMemory().limit}};
  }
  return AtomicWriteFile(path_, JsonText(marker) + "\n");
}

}  // namespace dl::launch
