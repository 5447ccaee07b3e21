#include "nn/conf/schedule.h"

#include <algorithm>

#include "base/limits.h"
#include "base/portable_math.h"
#include "nn/conf/kinds.h"
#include "nn/conf/typed_object.h"

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
  return kNoTag;
}

}  // namespace

template <typename Self, typename Visit>
void Schedule::Fields(Self& self, Visit&& visit) {
  constexpr std::string_view kMeaningOfSteps =
      "step: length of a stage, required, at least 1; cosine: length of the descent, 0 = the whole "
      "job";
  visit(Field{.key = "initial",
              .what = "the learning rate",
              .max = limits::kMaxCoefficient,
              .presence = Field::Presence::kRequired,
              .meaning = "Rate of the first step"},
        self.initial);
  switch (self.kind) {
    case ScheduleKind::kFixed:
      break;
    case ScheduleKind::kStep:
      visit(Field{.key = "factor",
                  .what = "the step schedule's factor",
                  .max = 1,
                  .meaning = "Multiplies the rate after every `steps` steps"},
            self.factor);
      visit(Field{.key = "steps",
                  .what = "the step schedule's number of steps",
                  .unit = "steps",
                  .min = 1,
                  .max = limits::kMaxScheduleSteps,
                  .presence = Field::Presence::kRequired,
                  .meaning = kMeaningOfSteps},
            self.steps);
      break;
    case ScheduleKind::kCosine:
      visit(Field{.key = "final",
                  .what = "the cosine schedule's final rate",
                  .max = limits::kMaxCoefficient,
                  .meaning = "Rate at the end of the descent"},
            self.final);
      visit(Field{.key = "steps",
                  .what = "the cosine schedule's number of steps",
                  .unit = "steps",
                  .max = limits::kMaxScheduleSteps,
                  .meaning = kMeaningOfSteps},
            self.steps);
      break;
  }
}

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

std::string_view TagOf(const Schedule& schedule) { return ScheduleTag(schedule.kind); }

std::vector<Schedule> DefaultsOf(const Schedule*) {
  std::vector<Schedule> defaults;
  for (const ScheduleKind kind : AllKinds(ScheduleTag)) defaults.emplace_back().kind = kind;
  return defaults;
}

Json ToJson(const Schedule& schedule) { return TypedToJson(schedule); }

void ReadValue(JsonObjectReader& reader, std::string_view key, Schedule& out) {
  if (const Json* json = reader.Child(key); json != nullptr && json->is_number()) {
    out = Schedule(json->get<double>());
    return;
  }
  ReadTyped(reader, key, out);
}

void CheckValue(const Field&, const Schedule& schedule, Mistakes& mistakes) {
  CheckFields(schedule, mistakes);
}

void DescribeValue(const Field& field, const Schedule& schedule, std::vector<KeyRow>& rows) {
  DescribeTyped(field, schedule, "Form of the schedule", rows);
}

}  // namespace dl::nn
