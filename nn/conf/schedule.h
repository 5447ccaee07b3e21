// Learning rates over time: pure functions of the step, in portable double arithmetic. Steps count
// through the whole job as the plan counts them: the global step of a round's first minibatch plus
// the minibatch's index within the round, the same for every worker.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/limits.h"
#include "nn/conf/field.h"
#include "nn/conf/key_row.h"
#include "nn/conf/mistakes.h"

namespace dl::nn {

enum class ScheduleKind : uint8_t { kFixed, kStep, kCosine };

struct Schedule {
  Schedule() = default;
  Schedule(double rate) : initial(rate) {}  // NOLINT: a plain number is a fixed rate

  ScheduleKind kind = ScheduleKind::kFixed;
  double initial = 0.01;
  double factor = 0.1;  // kStep: multiplies the rate every `steps` steps
  double final = 0;     // kCosine: the rate from `steps` on
  int64_t steps =
      0;  // kStep: length of one stage; kCosine: length of the descent, 0 = the plan's total
  bool operator==(const Schedule&) const = default;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit);
};

Schedule Fixed(double rate);
// initial * factor ^ floor(t / every_steps)
Schedule StepSchedule(double initial, double factor, int64_t every_steps);
// final + (initial - final) * (1 + cos(pi * min(t, T) / T)) / 2: Loshchilov, Hutter, "SGDR", ICLR
// 2017, equation 5, one period. T = `steps`, or the plan's total number of steps when it is 0.
Schedule CosineSchedule(double initial, double final = 0, int64_t steps = 0);

// The rate of step t (from 0) of a job of `total_steps` steps. The same bits on every machine. t <
// 0 counts as 0.
double RateAt(const Schedule& schedule, int64_t t, int64_t total_steps);

std::string_view TagOf(const Schedule& schedule);  // "fixed", "step", "cosine"
std::vector<Schedule> DefaultsOf(const Schedule*);
Json ToJson(const Schedule& schedule);
// A plain number is a fixed rate, as in the builder.
void ReadValue(JsonObjectReader& reader, std::string_view key, Schedule& out);
void CheckValue(const Field& field, const Schedule& schedule, Mistakes& mistakes);
void DescribeValue(const Field& field, const Schedule& schedule, std::vector<KeyRow>& rows);

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

}  // namespace dl::nn
