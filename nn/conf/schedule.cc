#include "nn/conf/schedule.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/portable_math.h"
#include "nn/conf/kinds.h"
#include "nn/conf/typed_object.h"

namespace dl::nn {
namespace {

constexpr double kLargestRise = 0.999999;  // below 1
constexpr double kLargestPower = 1000;

std::string_view ScheduleTag(ScheduleKind kind) {
  switch (kind) {
    case ScheduleKind::kFixed:
      return "fixed";
    case ScheduleKind::kStep:
      return "step";
    case ScheduleKind::kCosine:
      return "cosine";
    case ScheduleKind::kExponential:
      return "exponential";
    case ScheduleKind::kInverse:
      return "inverse";
    case ScheduleKind::kPolynomial:
      return "polynomial";
    case ScheduleKind::kOneCycle:
      return "one_cycle";
    case ScheduleKind::kTable:
      return "table";
    case ScheduleKind::kPlateau:
      return "plateau";
  }
  return kNoTag;
}

bool HasStages(ScheduleKind kind) {
  return kind == ScheduleKind::kStep || kind == ScheduleKind::kExponential;
}
bool HasLength(ScheduleKind kind) {
  return kind == ScheduleKind::kCosine || kind == ScheduleKind::kPolynomial ||
         kind == ScheduleKind::kOneCycle;
}
bool HasFinal(ScheduleKind kind) { return HasLength(kind) || kind == ScheduleKind::kPlateau; }
bool HasFactor(ScheduleKind kind) { return HasStages(kind) || kind == ScheduleKind::kPlateau; }
bool HasPower(ScheduleKind kind) {
  return kind == ScheduleKind::kInverse || kind == ScheduleKind::kPolynomial;
}

// Keys of every schedule: its warm-up and its unit of time.
template <typename Self, typename Visit>
void FieldsOfTime(Self& self, Visit&& visit) {
  visit(Field{.key = "warmup",
              .what = "the schedule's warm-up",
              .unit = "steps",
              .max = limits::kMaxScheduleSteps,
              .meaning = "Length of a linear warm-up of the rate. The schedule starts after it"},
        self.warmup);
  visit(
      Field{.key = "by_epoch",
            .meaning = "Whether `steps`, `warmup`, `at` and `gamma` count epochs instead of steps"},
      self.by_epoch);
}

template <typename Self, typename Visit>
void FieldsOfCycle(Self& self, Visit&& visit) {
  visit(Field{.key = "peak",
              .what = "the one-cycle schedule's peak",
              .max = limits::kMaxCoefficient,
              .presence = Field::Presence::kRequired,
              .meaning = "Largest rate"},
        self.peak);
  visit(Field{.key = "rise",
              .what = "the share of the one-cycle schedule's rise",
              .max = kLargestRise,
              .meaning = "Fraction of the schedule before the largest rate. Below 1"},
        self.rise);
}

template <typename Self, typename Visit>
void FieldsOfTable(Self& self, Visit&& visit) {
  visit(Field{.key = "at",
              .what = "a step of the schedule's table",
              .unit = "steps",
              .min = 1,
              .max = limits::kMaxScheduleSteps,
              .presence = Field::Presence::kRequired,
              .meaning = "Start of each rate in `rates`, ascending, from 1"},
        self.at);
  visit(Field{.key = "rates",
              .what = "a rate of the schedule's table",
              .max = limits::kMaxCoefficient,
              .presence = Field::Presence::kRequired,
              .meaning = "Rates, as many as in `at`"},
        self.rates);
}

template <typename Self, typename Visit>
void FieldsOfPlateau(Self& self, Visit&& visit) {
  visit(Field{.key = "patience",
              .what = "the schedule's patience",
              .unit = "epochs",
              .min = 1,
              .max = limits::kMaxEpochs,
              .meaning = "Number of consecutive evaluations without an improvement before the rate "
                         "is lowered"},
        self.patience);
  visit(Field{.key = "min_delta",
              .what = "the schedule's min_delta",
              .max = 1e30,
              .meaning = "An improvement must be larger than this"},
        self.min_delta);
}

// Falls from 1 to 0 along half a cosine.
double HalfCosine(double done) { return 0.5 * (1.0 + portable::CosTurns(0.5 * done)); }

double CycleAt(const Schedule& s, double done) {
  if (done < s.rise) return s.peak + (s.initial - s.peak) * HalfCosine(done / s.rise);
  return s.final + (s.peak - s.final) * HalfCosine((done - s.rise) / (1.0 - s.rise));
}

double TableAt(const Schedule& s, int64_t x) {
  const auto next = std::upper_bound(s.at.begin(), s.at.end(), x) - s.at.begin();
  return next == 0 ? s.initial : s.rates[next - 1];
}

// Returns the rate at time x. `left` is the rest of the job when the schedule begins, in the
// schedule's unit of time.
double RateAfterWarmUp(const Schedule& s, int64_t x, int64_t left, int64_t plateaus) {
  const int64_t length = std::max<int64_t>(s.steps > 0 ? s.steps : left, 1);
  const double done = static_cast<double>(std::min(x, length)) / static_cast<double>(length);
  const int64_t stage = std::max<int64_t>(s.steps, 1);
  switch (s.kind) {
    case ScheduleKind::kFixed:
      break;
    case ScheduleKind::kStep:
      return s.initial * portable::PowInt(s.factor, static_cast<uint64_t>(x / stage));
    case ScheduleKind::kExponential:
      return s.initial *
             portable::Pow(s.factor, static_cast<double>(x) / static_cast<double>(stage));
    case ScheduleKind::kInverse:
      return s.initial / portable::Pow(1.0 + s.gamma * static_cast<double>(x), s.power);
    case ScheduleKind::kCosine:
      return s.final + (s.initial - s.final) * HalfCosine(done);
    case ScheduleKind::kPolynomial:
      return s.final + (s.initial - s.final) * portable::Pow(1.0 - done, s.power);
    case ScheduleKind::kOneCycle:
      return CycleAt(s, done);
    case ScheduleKind::kTable:
      return TableAt(s, x);
    case ScheduleKind::kPlateau:
      return std::max(s.final,
                      s.initial * portable::PowInt(s.factor, static_cast<uint64_t>(plateaus)));
  }
  return s.initial;
}

void CheckTable(const Schedule& schedule, Mistakes& mistakes) {
  if (schedule.kind != ScheduleKind::kTable) return;
  const std::vector<int64_t>& at = schedule.at;
  if (at.size() != schedule.rates.size()) {
    mistakes.Add(absl::StrCat("the schedule's table has ", at.size(), " steps and ",
                              schedule.rates.size(), " rates"),
                 "Give the same number of both");
  }
  for (const int64_t step : at)
    mistakes.Range("a step of the schedule's table", step, 1, limits::kMaxScheduleSteps);
  if (std::adjacent_find(at.begin(), at.end(), std::greater_equal<>()) != at.end())
    mistakes.Add("the steps of the schedule's table are not in ascending order",
                 "List earlier steps first");
}

}  // namespace

template <typename Self, typename Visit>
void Schedule::Fields(Self& self, Visit&& visit) {
  visit(Field{.key = "initial",
              .what = "the learning rate",
              .max = limits::kMaxCoefficient,
              .presence = Field::Presence::kRequired,
              .meaning = "Rate of the first step after the warm-up"},
        self.initial);
  if (HasFactor(self.kind)) {
    visit(Field{.key = "factor",
                .what = "the schedule's factor",
                .max = 1,
                .meaning = "Factor of the rate: step: every `steps`; exponential: spread evenly "
                           "over `steps`; plateau: each time the metric stops improving"},
          self.factor);
  }
  if (self.kind == ScheduleKind::kInverse) {
    visit(Field{.key = "gamma",
                .what = "the inverse schedule's gamma",
                .max = limits::kMaxCoefficient,
                .presence = Field::Presence::kRequired,
                .meaning = "The rate at step x is divided by (1 + gamma x)^power"},
          self.gamma);
  }
  if (HasPower(self.kind)) {
    visit(Field{.key = "power",
                .what = "the schedule's power",
                .max = kLargestPower,
                .meaning = "Exponent of the divisor (inverse) or of the remaining fraction of the "
                           "schedule (polynomial; 1 = linear)"},
          self.power);
  }
  if (self.kind == ScheduleKind::kOneCycle) FieldsOfCycle(self, visit);
  if (HasFinal(self.kind)) {
    visit(Field{.key = "final",
                .what = "the schedule's final rate",
                .max = limits::kMaxCoefficient,
                .meaning = "Rate at the end of the schedule; plateau: lowest rate"},
          self.final);
  }
  if (self.kind == ScheduleKind::kPlateau) FieldsOfPlateau(self, visit);
  if (self.kind == ScheduleKind::kTable) FieldsOfTable(self, visit);
  if (HasStages(self.kind) || HasLength(self.kind)) {
    const bool stages = HasStages(self.kind);
    visit(Field{.key = "steps",
                .what = "the schedule's number of steps",
                .unit = "steps",
                .min = stages ? 1.0 : 0.0,
                .max = limits::kMaxScheduleSteps,
                .presence = stages ? Field::Presence::kRequired : Field::Presence::kOptional,
                .meaning = "step, exponential: length of a stage, required, at least 1. Others: "
                           "length of the schedule; 0 = the rest of the job after the warm-up"},
          self.steps);
  }
  FieldsOfTime(self, visit);
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

Schedule ExponentialSchedule(double initial, double factor, int64_t every_steps) {
  Schedule schedule = StepSchedule(initial, factor, every_steps);
  schedule.kind = ScheduleKind::kExponential;
  return schedule;
}

Schedule InverseSchedule(double initial, double gamma, double power) {
  Schedule schedule(initial);
  schedule.kind = ScheduleKind::kInverse;
  schedule.gamma = gamma;
  schedule.power = power;
  return schedule;
}

Schedule PolynomialSchedule(double initial, double final, double power, int64_t steps) {
  Schedule schedule = CosineSchedule(initial, final, steps);
  schedule.kind = ScheduleKind::kPolynomial;
  schedule.power = power;
  return schedule;
}

Schedule OneCycleSchedule(const OneCycle& cycle) {
  Schedule schedule = CosineSchedule(cycle.initial, cycle.final, cycle.steps);
  schedule.kind = ScheduleKind::kOneCycle;
  schedule.peak = cycle.peak;
  schedule.rise = cycle.rise;
  return schedule;
}

Schedule TableSchedule(double initial, std::vector<int64_t> at, std::vector<double> rates) {
  Schedule schedule(initial);
  schedule.kind = ScheduleKind::kTable;
  schedule.at = std::move(at);
  schedule.rates = std::move(rates);
  return schedule;
}

Schedule PlateauSchedule(const Plateau& plateau) {
  Schedule schedule(plateau.initial);
  schedule.kind = ScheduleKind::kPlateau;
  schedule.factor = plateau.factor;
  schedule.patience = plateau.patience;
  schedule.min_delta = plateau.min_delta;
  schedule.final = plateau.final;
  return schedule;
}

bool FollowsAMetric(const Schedule& schedule) { return schedule.kind == ScheduleKind::kPlateau; }

double RateAt(const Schedule& schedule, int64_t t, const JobLength& job, int64_t plateaus) {
  t = std::max<int64_t>(t, 0);
  const int64_t unit = schedule.by_epoch ? std::max<int64_t>(job.epoch_steps, 1) : 1;
  const int64_t now = t / unit, whole = job.steps / unit + (job.steps % unit != 0 ? 1 : 0);
  const int64_t left = std::max<int64_t>(whole - schedule.warmup, 0);
  if (now >= schedule.warmup)
    return RateAfterWarmUp(schedule, now - schedule.warmup, left, plateaus);
  const double length = static_cast<double>(schedule.warmup) * static_cast<double>(unit);
  return RateAfterWarmUp(schedule, 0, left, plateaus) * (static_cast<double>(t + 1) / length);
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
  CheckFields(MembersOf(schedule), mistakes);
  CheckTable(schedule, mistakes);
}

void DescribeValue(const Field& field, const Schedule& schedule, std::vector<KeyRow>& rows) {
  DescribeTyped(field, schedule, "Form of the schedule", rows);
}

}  // namespace dl::nn
