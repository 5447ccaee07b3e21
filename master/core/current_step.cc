#include "master/core/current_step.h"

#include <utility>

namespace dl::master {

void CurrentStep::Begin(const Moment& moment, Output& output) {
  DL_CHECK(output_ == nullptr);
  now = moment.now;
  came = moment.came;
  wall_unix_ms = moment.wall_unix_ms;
  output_ = &output;
}

void CurrentStep::EmitEvent(const Job& job, Json event) {
  event["job"] = job.definition.id;
  Do(Emit{job.definition.id, std::move(event)});
}

void CurrentStep::WriteLog(std::string line) { Do(Log{std::move(line)}); }

void CurrentStep::AnswerWith(uint64_t token, Status status, Reply reply) {
  // In place: of a temporary that is moved from, g++ 12 believes with a sanitizer on that it is
  // read uninitialized.
  output_->effects.emplace_back(std::in_place_type<Answer>, token, std::move(status),
                                std::move(reply));
}

}  // namespace dl::master
