// Learning rates over time: pure functions of the step, in portable double arithmetic. Steps count
// through the whole job as the plan counts them: the global step of a round's first minibatch plus
// the minibatch's index within the round, the same for every worker.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "nn/conf/field.h"
#include "nn/conf/key_row.h"
#include "nn/conf/mistakes.h"

namespace dl::nn {

enum class ScheduleKind : uint8_t;  // nn/conf/kinds.h

struct Schedule {
  Schedule() = default;
  Schedule(double rate) : initial(rate) {}  // NOLINT: a plain number is a fixed rate

  ScheduleKind kind{};  // fixed
  double initial = 0.01;
  double factor = 0.1;  // step: multiplies the rate every `steps` steps
  double final = 0;     // cosine: the rate from `steps` on
  // step: length of one stage; cosine: length of the descent, 0 = the plan's total.
  int64_t steps = 0;
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

}  // namespace dl::nn
