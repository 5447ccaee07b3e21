#include "master/core/fleet/absences.h"

namespace dl::master {

void Absences::Add(const std::string& executor, Absence absence) {
  Take(executor);
  by_time_.emplace(absence.since, executor);
  by_name_.emplace(executor, std::move(absence));
  if (by_name_.size() > kMost) Take(std::string(by_time_.begin()->second));
}

Absence Absences::Take(const std::string& executor) {
  const auto found = by_name_.find(executor);
  if (found == by_name_.end()) return {};
  by_time_.erase({found->second.since, executor});
  return std::move(by_name_.extract(found).mapped());
}

bool Absences::AnySince(Instant time,
                        const std::function<bool(const std::string& executor)>& counts) const {
  for (auto it = by_time_.rbegin(); it != by_time_.rend() && it->first >= time; ++it) {
    if (counts(it->second)) return true;
  }
  return false;
}

}  // namespace dl::master
