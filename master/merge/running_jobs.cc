#include "master/merge/running_jobs.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace dl::master {

RunningJobs::Data RunningJobs::Find(const std::string& job) const {
  MutexLock lock(mutex_);
  const auto found = jobs_.find(job);
  return found == jobs_.end() ? nullptr : found->second;
}

StatusOr<RunningJobs::Data> RunningJobs::Get(const std::string& job) const {
  Data data = Find(job);
  if (data == nullptr) return NotFound({.message = absl::StrCat("job ", job, " is not running")});
  return data;
}

RunningJobs::Data RunningJobs::FindOrAdd(const std::string& job, JobMaterial material) {
  MutexLock lock(mutex_);
  Data& data = jobs_[job];
  if (data == nullptr) data = std::make_shared<JobData>(std::move(material));
  return data;
}

void RunningJobs::Release(const std::string& job) {
  MutexLock lock(mutex_);
  jobs_.erase(job);
}

}  // namespace dl::master
