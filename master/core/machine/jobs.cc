#include "master/core/machine/jobs.h"

#include <utility>

namespace dl::master {

Job* Jobs::Find(const std::string& id) {
  if (auto found = live_.find(id); found != live_.end()) {
    Touch(found->second);
    return &found->second;
  }
  const auto found = ended_.find(id);
  return found == ended_.end() ? nullptr : &found->second;
}

const Job* Jobs::Find(const std::string& id) const {
  for (const auto* jobs : {&live_, &ended_}) {
    if (auto found = jobs->find(id); found != jobs->end()) return &found->second;
  }
  return nullptr;
}

Job& Jobs::Add(Job job) {
  const std::string id = job.definition.id;
  job.needs = LabelSet(job.record.scheduling.needs);
  const auto [place, inserted] = live_.emplace(id, std::move(job));
  DL_CHECK(inserted);
  Touch(place->second);
  return place->second;
}

void Jobs::AddDamaged(Job job) {
  const std::string id = job.definition.id;
  ended_.emplace(id, std::move(job));
}

void Jobs::TouchUnit(Job& job, int32_t unit) {
  if (!job.touched.all) job.touched.units.push_back(unit);
  Touch(job);
}

void Jobs::TouchUnits(Job& job) {
  job.touched.all = true;
  Touch(job);
}

Job& Jobs::TakeFirstTouched() {
  Job& job = live_.at(*touched_.begin());
  touched_.erase(touched_.begin());
  return job;
}

uint64_t Jobs::RecordEnd(const Job& job) {
  just_ended_.push_back(job.definition.id);
  return next_end_++;
}

void Jobs::SetEndedApart() {
  for (const std::string& id : std::exchange(just_ended_, {})) ended_.insert(live_.extract(id));
}

void Jobs::RememberEnded(const std::shared_ptr<const RecoveredJob>& ended) {
  if (ended == nullptr || Find(ended->definition.id) != nullptr) return;
  Job job = Restored(*ended);
  job.needs = LabelSet(job.record.scheduling.needs);
  job.end = next_end_++;
  // The caller uses the job, so it stays even if none are kept, until the next end is recorded.
  DropEndedAbove(std::max<int64_t>(0, incarnation_.options.ended_kept - 1));
  recorded_.emplace_back(job.definition.id, job.end);
  ended_.emplace(job.definition.id, std::move(job));
}

void Jobs::On(const EndRecorded& event) {
  if (event.end == 0) return;  // it was paused
  recorded_.emplace_back(event.job, event.end);
  DropEndedAbove(incarnation_.options.ended_kept);
}

void Jobs::DropEndedAbove(int64_t count) {
  while (static_cast<int64_t>(recorded_.size()) > count) {
    const auto found = ended_.find(recorded_.front().first);
    // A resumed job may have ended again, and its new end may not be stored yet.
    if (found != ended_.end() && found->second.end == recorded_.front().second) ended_.erase(found);
    recorded_.pop_front();
  }
}

void Jobs::BeginAgain(const std::string& id) {
  live_.insert(ended_.extract(id));
  Touch(live_.at(id));
}

void Jobs::Delete(const std::string& id) { ended_.erase(id); }

}  // namespace dl::master
