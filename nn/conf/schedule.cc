#include "nn/conf/schedule.h"

#include <algorithm>

#include "base/limits.h"
#include "base/portable_math.h"
#include "nn/conf/type_shorthand.h"

namespace dl::nn {
namespace {

std::string_view ScheduleTag(ScheduleKind kind) {
  switch (kind) {
    case ScheduleKind::kFixed:
      return "fixed";
    case ScheduleKind::kStep:
      return "step";
    case ScheduleKind::kCosine:
      return "cosine";
  }
  return "unknown";
}

}  // namespace

Schedule Fixed(double rate) { return Schedule(rate); }

Schedule StepSchedule(double initial, double factor, int64_t every_steps) {
  Schedule schedule(initial);
  schedule.kind = ScheduleKind::kStep;
  schedule.factor = factor;
  schedule.steps = every_steps;
  return schedule;
}

Schedule CosineSchedule(double initial, double final, int64_t steps) {
  Schedule schedule(initial);
  schedule.kind = ScheduleKind::kCosine;
  schedule.final = final;
  schedule.steps = steps;
  return schedule;
}

double RateAt(const Schedule& schedule, int64_t t, int64_t total_steps) {
  t = std::max<int64_t>(t, 0);
  switch (schedule.kind) {
    case ScheduleKind::kFixed:
      break;
    case ScheduleKind::kStep: {
      const int64_t stage = t / std::max<int64_t>(schedule.steps, 1);
      return schedule.initial * portable::PowInt(schedule.factor, static_cast<uint64_t>(stage));
    }
    case ScheduleKind::kCosine: {
      const int64_t length =
          std::max<int64_t>(schedule.steps > 0 ? schedule.steps : total_steps, 1);
      const double done = static_cast<double>(std::min(t, length)) / static_cast<double>(length);
      const double shape = 0.5 * (1.0 + portable::CosTurns(0.5 * done));
      return schedule.final + (schedule.initial - schedule.final) * shape;
    }
  }
  return schedule.initial;
}

void CheckValue(const Field&, const Schedule& schedule, Mistakes& mistakes) {
  mistakes.Range("the learning rate", schedule.initial, 0.0, limits::kMaxCoefficient);
  if (schedule.kind == ScheduleKind::kStep) {
    mistakes.Range("the step schedule's factor", schedule.factor, 0.0, 1.0);
    mistakes.Range("the step schedule's number of steps", schedule.steps, 1,
                   limits::kMaxScheduleSteps);
  }
  if (schedule.kind == ScheduleKind::kCosine) {
    mistakes.Range("the cosine schedule's final rate", schedule.final, 0.0,
                   limits::kMaxCoefficient);
    mistakes.Range("the cosine schedule's number of steps", schedule.steps, 0,
                   limits::kMaxScheduleSteps);
  }
}

Json ToJson(const Schedule& schedule) {
  Json json{{"type", ScheduleTag(schedule.kind)}, {"initial", schedule.initial}};
  if (schedule.kind == ScheduleKind::kStep) {
    json["factor"] = schedule.factor;
    json["steps"] = schedule.steps;
  }
  if (schedule.kind == ScheduleKind::kCosine) {
    json["final"] = schedule.final;
    json["steps"] = schedule.steps;
  }
  return json;
}

void ReadValue(JsonObjectReader& reader, std::string_view key, Schedule& out) {
  const Json* json = reader.Child(key);
  if (json == nullptr) return;
  if (json->is_number()) {  // a plain number is a fixed rate, as in the builder
    out = Schedule(json->get<double>());
    return;
  }
  const Json whole = TypeInFull(*json);
  JsonObjectReader nested(whole, reader.PathOf(key));
  std::string tag(ScheduleTag(out.kind));
  nested.Require("type");
  nested.Require("initial");
  nested.OneOf("type", tag, {"fixed", "step", "cosine"});
  nested.Double("initial", out.initial);
  if (tag == "step") {
    out.kind = ScheduleKind::kStep;
    nested.Require("steps");
    nested.Double("factor", out.factor);
    nested.Int("steps", out.steps);
  } else if (tag == "cosine") {
    out.kind = ScheduleKind::kCosine;
    nested.Double("final", out.final);
    nested.Int("steps", out.steps);
  }
  reader.AddErrors(nested.Finish());
}

}  // namespace dl::nn
