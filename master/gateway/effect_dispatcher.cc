#include "master/gateway/effect_dispatcher.h"

#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "master/log_reading.h"
#include "master/series_folding.h"

namespace dl::master {
namespace {

// Returns the line for the operator about a job's state or warning; empty for other events.
std::string LogLineOf(const JobEvent& event) {
  if (const auto* warning = std::get_if<WarningEvent>(&event.content))
    return absl::StrCat("job ", event.job, ": ", warning->message);
  const auto* state = std::get_if<StateEvent>(&event.content);
  if (state == nullptr) return "";
  const std::string_view reason = ReasonName(state->reason);
  return absl::StrCat("job ", event.job, ": ", std::string(JobStateName(state->state)),
                      reason.empty() ? "" : absl::StrCat(" (", std::string(reason), ")"),
                      state->message.empty() ? "" : ": ", state->message);
}

}  // namespace

void EffectDispatcher::Release(std::vector<Effect>& effects) {
  for (Effect& effect : effects) std::visit([this](auto& e) { Do(e); }, effect);
}

void EffectDispatcher::Do(const Emit& effect) {
  if (std::string line = LogLineOf(effect); !line.empty()) options_.log->Write(std::move(line));
  options_.feed->Append(effect);
}

template <typename Reading>
void EffectDispatcher::ReadLog(const std::string& job, Reading read) {
  round_logs_->Post([this, job, read] {
    decltype(read()) answer;
    (void)options_.engine->shortage().RetryWhenExhausted(
        absl::StrCat("reading the round log of ", job), [&] {
          answer = read();
          return answer.status;
        });
    options_.core->Post(std::move(answer));
  });
}

void EffectDispatcher::Do(const SurveyLog& effect) {
  ReadLog(effect.job, [this, effect] { return Survey(*options_.meta, effect); });
}

void EffectDispatcher::Do(const ReadCommits& effect) {
  ReadLog(effect.job, [this, effect] { return Read(*options_.meta, effect); });
}

void EffectDispatcher::Do(const FoldSeries& effect) {
  ReadLog(effect.job, [this, effect] { return Fold(*options_.meta, effect); });
}

void EffectDispatcher::Do(const ReleaseJob& effect) {
  options_.engine->Do(effect);
  options_.core->Post(EndRecorded{effect.job, effect.end});
  options_.job_released(effect.job);
}

}  // namespace dl::master
