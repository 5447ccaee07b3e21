// Learning rates over time: pure functions of the step, and of how often a metric stood still, in
// portable double arithmetic. Steps count
// through the whole job as the plan counts them: the global step of a round's first minibatch plus
// the minibatch's index within the round, the same for every worker.
//
// A schedule counts time x in steps, or (by_epoch) in epochs that have begun, so that the rate
// stays the same within an epoch. In front of it may stand a warm-up of `warmup` of these: the rate
// rises by equal parts in each step, up to the one with which the schedule, which counts from
// there, then begins: (t + 1) / W of it in step t of W (Goyal et al., "Accurate, large minibatch
// SGD", arXiv:1706.02677, section 2.2).
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

  Schedule& WarmUp(int64_t length) {
    warmup = length;
    return *this;
  }
  Schedule& ByEpoch() {
    by_epoch = true;
    return *this;
  }

  ScheduleKind kind{};  // fixed
  double initial = 0.01;
  double factor = 0.1;        // step, exponential, plateau: multiplies the rate
  double final = 0;           // cosine, polynomial, one_cycle: the rate from `steps` on; plateau:
                              // the lowest
  double gamma = 0;           // inverse
  double power = 1;           // inverse, polynomial
  double peak = 0;            // one_cycle: the largest rate
  double rise = 0.3;          // one_cycle: the share of its length until then
  std::vector<int64_t> at;    // table: when
  std::vector<double> rates;  // which rate begins
  // step, exponential: length of one stage; others: of the whole schedule, 0 = the rest of the job.
  int64_t steps = 0;
  int64_t patience = 3;  // plateau, as min_delta
  double min_delta = 0;
  int64_t warmup = 0;
  bool by_epoch = false;
  bool operator==(const Schedule&) const = default;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit);
};

Schedule Fixed(double rate);
// initial * factor ^ floor(x / every_steps)
Schedule StepSchedule(double initial, double factor, int64_t every_steps);
// final + (initial - final) * (1 + cos(pi * min(x, T) / T)) / 2: Loshchilov, Hutter, "SGDR", ICLR
// 2017, equation 5, one period. T = `steps`, or what the warm-up leaves of the job when it is 0, as
// below.
Schedule CosineSchedule(double initial, double final = 0, int64_t steps = 0);
// initial * factor ^ (x / every_steps)
Schedule ExponentialSchedule(double initial, double factor, int64_t every_steps);
// initial / (1 + gamma x) ^ power
Schedule InverseSchedule(double initial, double gamma, double power = 1);
// final + (initial - final) * (1 - min(x, T) / T) ^ power; a power of 1 is a straight line.
Schedule PolynomialSchedule(double initial, double final = 0, double power = 1, int64_t steps = 0);
// From initial up to peak within `rise` of T, then down to final, along half a cosine each: Smith,
// Topin, "Super-convergence", arXiv:1708.07120, in the shape that PyTorch gave it.
struct OneCycle {
  double initial = 0, peak = 0, final = 0;
  double rise = 0.3;
  int64_t steps = 0;
};
Schedule OneCycleSchedule(const OneCycle& cycle);
// initial until at[0]; rates[i] from at[i] on.
Schedule TableSchedule(double initial, std::vector<int64_t> at, std::vector<double> rates);
// max(final, initial * factor ^ n), where n is how often the job's test metric stood still: did not
// improve by more than min_delta in `patience` evaluations in a row, which then count anew
// (master/core/job/plateau.h). Which metric: training.early_stopping's, else the loss. As PyTorch's
// ReduceLROnPlateau with threshold_mode "abs", without a cooldown, and with patience - 1.
struct Plateau {
  double initial = 0.01;
  double factor = 0.1;
  int64_t patience = 3;
  double min_delta = 0;
  double final = 0;
};
Schedule PlateauSchedule(const Plateau& plateau);

// How long a job is, as its plan counts.
struct JobLength {
  int64_t steps = 0;
  int64_t epoch_steps = 0;  // of each epoch; for schedules that count epochs
};

// The rate of step t (from 0), behind so many plateaus. The same bits on every machine. t < 0
// counts as 0.
double RateAt(const Schedule& schedule, int64_t t, const JobLength& job, int64_t plateaus = 0);

// It goes by evaluations.
bool FollowsAMetric(const Schedule& schedule);

std::string_view TagOf(const Schedule& schedule);  // "fixed", "step", "cosine", ...
std::vector<Schedule> DefaultsOf(const Schedule*);
Json ToJson(const Schedule& schedule);
// A plain number is a fixed rate, as in the builder.
void ReadValue(JsonObjectReader& reader, std::string_view key, Schedule& out);
void CheckValue(const Field& field, const Schedule& schedule, Mistakes& mistakes);
void DescribeValue(const Field& field, const Schedule& schedule, std::vector<KeyRow>& rows);

}  // namespace dl::nn
