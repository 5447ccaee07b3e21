// Learning rates over time. The rate is a pure function of the step and of the number of plateaus
// of a metric, in portable double arithmetic. Steps count through the whole job: the global step of
// the round's first minibatch plus the index of the minibatch in the round. They are equal for
// every worker.
//
// A schedule counts time x in steps, or (by_epoch) in whole epochs before the step, so that the
// rate after the warm-up is constant within an epoch. An optional warm-up of length `warmup` comes
// first: in step t of its W steps the rate is (t + 1) / W of the schedule's first rate. The
// schedule counts x from the end of the warm-up (Goyal et al., "Accurate, large minibatch SGD",
// arXiv:1706.02677, section 2.2).
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
  // First rate after the warm-up, 0 to 1e6.
  double initial = 0.01;
  double factor = 0.1;  // step, exponential, plateau: multiplies the rate; 0 to 1
  // cosine, polynomial, one_cycle: rate at the end and later. plateau: lowest rate. 0 to 1e6.
  double final = 0;
  double gamma = 0;           // inverse; 0 to 1e6
  double power = 1;           // inverse, polynomial; 0 to 1000
  double peak = 0;            // one_cycle: largest rate, 0 to 1e6
  double rise = 0.3;          // one_cycle: share of the length until the peak; below 1
  std::vector<int64_t> at;    // table: times at which a new rate begins, ascending, from 1
  std::vector<double> rates;  // table: these rates, as many as `at` has times, 0 to 1e6
  // step, exponential: length of one stage, required, at least 1. cosine, polynomial, one_cycle:
  // length of the schedule; 0 means the rest of the job after the warm-up.
  int64_t steps = 0;
  int64_t patience = 3;  // plateau, in evaluations, at least 1
  // For plateau: an improvement must be larger than this, 0 to 1e30.
  double min_delta = 0;
  // Length of the warm-up, in steps or epochs.
  int64_t warmup = 0;
  bool by_epoch = false;  // `steps`, `warmup`, `at` and x count epochs instead of steps
  bool operator==(const Schedule&) const = default;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit);
};

Schedule Fixed(double rate);
// initial * factor ^ floor(x / every_steps)
Schedule StepSchedule(double initial, double factor, int64_t every_steps);
// final + (initial - final) * (1 + cos(pi * min(x, T) / T)) / 2: one period of Loshchilov, Hutter,
// "SGDR", ICLR 2017, equation 5. Here and below, T is `steps`, or if that is 0, what the warm-up
// leaves of the job.
Schedule CosineSchedule(double initial, double final = 0, int64_t steps = 0);
// initial * factor ^ (x / every_steps)
Schedule ExponentialSchedule(double initial, double factor, int64_t every_steps);
// initial / (1 + gamma x) ^ power
Schedule InverseSchedule(double initial, double gamma, double power = 1);
// final + (initial - final) * (1 - min(x, T) / T) ^ power; a power of 1 is a straight line.
Schedule PolynomialSchedule(double initial, double final = 0, double power = 1, int64_t steps = 0);
// Rises from initial to peak during the first `rise` of T, then falls to final, each along half a
// cosine. Smith, Topin, "Super-convergence", arXiv:1708.07120, in the form of PyTorch's OneCycleLR.
struct OneCycle {
  double initial = 0, peak = 0, final = 0;
  double rise = 0.3;
  int64_t steps = 0;
};
Schedule OneCycleSchedule(const OneCycle& cycle);
// The rate is initial until at[0], and rates[i] from at[i] on.
Schedule TableSchedule(double initial, std::vector<int64_t> at, std::vector<double> rates);
// max(final, initial * factor ^ n). n is the number of plateaus of the job's test metric. A plateau
// is `patience` evaluations in a row without an improvement by more than min_delta; counting then
// restarts (master/core/job/plateau.h). The metric is that of training.early_stopping, or the loss.
// Equals PyTorch's ReduceLROnPlateau with threshold_mode "abs", patience - 1 and no cooldown.
struct Plateau {
  double initial = 0.01;
  double factor = 0.1;
  int64_t patience = 3;
  double min_delta = 0;
  double final = 0;
};
Schedule PlateauSchedule(const Plateau& plateau);

// Length of a job, as its plan counts.
struct JobLength {
  int64_t steps = 0;
  int64_t epoch_steps = 0;  // steps per epoch; for schedules that count epochs
};

// Returns the rate of step t (from 0) after `plateaus` plateaus. The bits are equal on every
// machine. t < 0 counts as 0.
double RateAt(const Schedule& schedule, int64_t t, const JobLength& job, int64_t plateaus = 0);

// Returns whether the schedule depends on evaluations.
bool FollowsAMetric(const Schedule& schedule);

std::string_view TagOf(const Schedule& schedule);  // "fixed", "step", "cosine", ...
std::vector<Schedule> DefaultsOf(const Schedule*);
Json ToJson(const Schedule& schedule);
// Reads a schedule. A plain number is a fixed rate, as in the builder.
void ReadValue(JsonObjectReader& reader, std::string_view key, Schedule& out);
void CheckValue(const Field& field, const Schedule& schedule, Mistakes& mistakes);
void DescribeValue(const Field& field, const Schedule& schedule, std::vector<KeyRow>& rows);

}  // namespace dl::nn
