#include "master/core/master_step.h"

#include <utility>

#include "base/limits.h"
#include "master/core/record_keys.h"

namespace dl::master {

void CurrentStep::Begin(const StepTime& moment, Output& output) {
  DL_CHECK(output_ == nullptr);
  now = moment.now;
  came = moment.came;
  wall_unix_ms = moment.wall_unix_ms;
  output_ = &output;
}

void CurrentStep::EmitEvent(Job& job, Json event) {
  const std::string& id = job.definition.id;
  const std::string type = event.value("type", "");
  const int64_t sequence = ++job.event_sequence.last;
  event["job"] = id;
  event["seq"] = sequence;
  const auto forget = [&](const std::string& prefix, int64_t number, int64_t kept) {
    if (number % 1000 == 0 && number > kept)
      batch().DeletePrefix(keys::EventThousand(prefix, number - kept - 1000));
  };
  // The wall-clock time, for people. A result already has the time of its job state.
  if (type != "result") event["unix_ms"] = wall_unix_ms;
  if (type == "round") {
    batch().Put(keys::RoundEvent(id, sequence), JsonText(event));
  } else {
    batch().Put(keys::Event(id, ++job.event_sequence.others), JsonText(event));
    forget(keys::EventPrefix(id), job.event_sequence.others, limits::kEventsStored);
  }
  forget(keys::RoundEventPrefix(id), sequence, limits::kRoundEventsStored);
  batch().Put(keys::EventSequence(id), JsonText(ToJson(job.event_sequence)));
  // The result line is documented for scripts and has no sequence number.
  if (type == "result") event.erase("seq");
  Do(Emit{id, sequence, std::move(event)});
}

void CurrentStep::WriteLog(std::string line) { Do(Log{std::move(line)}); }

void CurrentStep::AnswerWith(uint64_t token, Status status, Reply reply) {
  Do(Answer{.token = token, .status = std::move(status), .reply = std::move(reply)});
}

}  // namespace dl::master
