#include "master/core/records/event_record.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/overloaded.h"
#include "master/core/records/job_record.h"
#include "master/core/records/report_record.h"

namespace dl::master {
namespace {

Json EpochJson(const EpochEvent& epoch) {
  Json json = {{"type", "epoch"},
               {"epoch", epoch.epoch},
               {"epochs_total", epoch.epochs},
               {"round", epoch.round},
               {"train", ToJson(epoch.train)}};
  if (epoch.test) json["test"] = ToJson(*epoch.test);
  if (!epoch.watched.empty()) json["watched"] = epoch.watched;
  if (!epoch.figures.empty()) json["figures"] = epoch.figures;
  if (epoch.plateaus) json["plateaus"] = *epoch.plateaus;
  return json;
}

Json RoundJson(const RoundEvent& round) {
  Json json = {{"type", "round"},
               {"round", round.round},
               {"rounds_total", round.rounds},
               {"epoch", round.epoch},
               {"examples", round.examples},
               {"train", ToJson(round.train)},
               {"examples_per_second", round.examples_per_second}};
  if (round.replayed) json["replayed"] = true;
  return json;
}

Json ContentJson(const JobEvent& event) {
  return std::visit(Overloaded{[](const StateEvent& state) -> Json {
                                 Json json = {{"type", "state"},
                                              {"state", JobStateName(state.state)},
                                              {"reason", ReasonName(state.reason)},
                                              {"message", state.message}};
                                 AddRemedy(state.remedy, json);
                                 return json;
                               },
                               [](const WarningEvent& warning) -> Json {
                                 Json json = {{"type", "warning"}, {"message", warning.message}};
                                 AddRemedy(warning.remedy, json);
                                 return json;
                               },
                               [](const RoundEvent& round) { return RoundJson(round); },
                               [](const EpochEvent& epoch) { return EpochJson(epoch); },
                               [&](const CheckpointEvent& checkpoint) -> Json {
                                 return {
                                     {"type", "checkpoint"},
                                     {"checkpoint", absl::StrCat(event.job, "@", checkpoint.round)},
                                     {"round", checkpoint.round},
                                     {"state_sha256", checkpoint.state_sha256}};
                               },
                               [](const RollbackEvent& rollback) -> Json {
                                 return {{"type", "rollback"},
                                         {"round", rollback.round},
                                         {"rounds_lost", rollback.rounds_lost},
                                         {"executors", rollback.executors},
                                         {"message", rollback.message}};
                               },
                               [](const ResultView& result) { return ToJson(result); }},
                    event.content);
}

bool IsResult(const JobEvent& event) { return std::holds_alternative<ResultView>(event.content); }

// A result already has the time of its job state.
Json EventJson(const JobEvent& event) {
  Json json = ContentJson(event);
  json["job"] = event.job;
  if (!IsResult(event)) json["unix_ms"] = event.unix_ms;
  return json;
}

}  // namespace

std::string RecordText(const JobEvent& event) {
  Json json = EventJson(event);
  json["seq"] = event.sequence;
  return JsonText(json);
}

std::string EventLine(const JobEvent& event) {
  return IsResult(event) ? JsonText(EventJson(event)) : RecordText(event);
}

}  // namespace dl::master
