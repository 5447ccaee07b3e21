#include "master/core/master_step.h"

#include <utility>

#include "base/limits.h"
#include "master/core/record_keys.h"
#include "master/core/records/event_record.h"
#include "master/core/records/event_sequence_record.h"

namespace dl::master {

void CurrentStep::Begin(const StepTime& moment, Output& output) {
  DL_CHECK(output_ == nullptr);
  now = moment.now;
  came = moment.came;
  wall_unix_ms = moment.wall_unix_ms;
  output_ = &output;
}

void CurrentStep::EmitEvent(Job& job, EventContent content) {
  const std::string& id = job.definition.id;
  const int64_t sequence = ++job.event_sequence.last;
  JobEvent event{
      .job = id, .sequence = sequence, .unix_ms = wall_unix_ms, .content = std::move(content)};
  const auto forget = [&](const std::string& prefix, int64_t number, int64_t kept) {
    if (number % 1000 == 0 && number > kept)
      batch().DeletePrefix(keys::EventThousand(prefix, number - kept - 1000));
  };
  if (std::holds_alternative<RoundEvent>(event.content)) {
    batch().Put(keys::RoundEvent(id, sequence), RecordText(event));
  } else {
    batch().Put(keys::Event(id, ++job.event_sequence.others), RecordText(event));
    forget(keys::EventPrefix(id), job.event_sequence.others, limits::kMaxStoredEvents);
  }
  forget(keys::RoundEventPrefix(id), sequence, limits::kMaxStoredRoundEvents);
  batch().Put(keys::EventSequence(id), RecordText(job.event_sequence));
  Do(std::move(event));
}

void CurrentStep::Warn(Job& job, std::string message, rpc::Remedy remedy) {
  EmitEvent(job, WarningEvent{.message = std::move(message), .remedy = std::move(remedy)});
}

void CurrentStep::WriteLog(std::string line) { Do(Log{std::move(line)}); }

void CurrentStep::AnswerWith(uint64_t token, Status status, Reply reply) {
  Do(Answer{.token = token, .status = std::move(status), .reply = std::move(reply)});
}

}  // namespace dl::master
