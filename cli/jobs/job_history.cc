#include "cli/jobs/job_history.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "cli/output/json_fields.h"

namespace dl::cli {
namespace {

// Adds the numbers of the object `key` of an event.
void AddNumbers(const Json& event, const char* key, std::map<std::string, double>& numbers) {
  const Json* figures = Member(event, key);
  if (figures == nullptr || !figures->is_object()) return;
  for (const auto& [name, value] : figures->items()) {
    if (value.is_number()) numbers[name] = value.get<double>();
  }
}

}  // namespace

void JobHistory::Add(const Json& event) {
  const std::string type = TextAt(event, "type");
  if (type == "epoch") AddEpoch(event);
  if (type == "rollback") RollBack(IntegerAt(event, "round"));
}

void JobHistory::AddEpoch(const Json& event) {
  EpochFigures figures = {.epoch = IntegerAt(event, "epoch"), .round = IntegerAt(event, "round")};
  AddNumbers(event, "train", figures.train);
  AddNumbers(event, "test", figures.test);
  AddNumbers(event, "figures", figures.test);
  if (const std::string watched = TextAt(event, "watched"); !watched.empty()) watched_ = watched;
  const auto at = std::ranges::lower_bound(epochs_, figures.epoch, {}, &EpochFigures::epoch);
  if (at != epochs_.end() && at->epoch == figures.epoch)
    *at = std::move(figures);
  else
    epochs_.insert(at, std::move(figures));
}

void JobHistory::RollBack(int64_t round) {
  const auto first = std::ranges::upper_bound(epochs_, round, {}, &EpochFigures::round);
  std::move(first, epochs_.end(), std::back_inserter(rolled_back_));
  epochs_.erase(first, epochs_.end());
}

std::vector<std::string> JobHistory::Names() const {
  std::set<std::string> all;
  for (const EpochFigures& epoch : epochs_) {
    for (const auto* figures : {&epoch.train, &epoch.test}) {
      for (const auto& [name, value] : *figures) all.insert(name);
    }
  }
  std::vector<std::string> names;
  for (const char* first : {"loss", "accuracy"}) {
    if (all.erase(first) > 0) names.emplace_back(first);
  }
  names.insert(names.end(), all.begin(), all.end());
  return names;
}

}  // namespace dl::cli
