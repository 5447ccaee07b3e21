// Runs 1,000 seeded schedules of faults. DL_SIM_SEED=<n> runs only schedule n, DL_SIM_SCHEDULES=<n>
// runs another number of schedules, DL_SIM_FIRST=<n> starts at schedule n.
#include <cstdlib>
#include <iostream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/limits.h"
#include "gtest/gtest.h"
#include "tests/sim/liar.h"
#include "tests/sim/sim_cluster.h"

namespace dl::sim {
namespace {

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  uint64_t value = otherwise;
  return text != nullptr && absl::SimpleAtoi(text, &value) ? value : otherwise;
}

// No event costs the core more than limits::kLongStep of processor time. Other load of the machine
// is not counted: the schedule is a pure function of its seed, so it is run again, and only steps
// that are long each time count. Returns an empty string if there is none.
std::string LongStep(uint64_t seed, const ScheduleReport& report) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return "";  // the sanitizer adds its own cost
#endif
  std::map<int64_t, std::string> left = report.long_steps;
  for (int times = 0; times < 2 && !left.empty(); ++times) {
    const ScheduleReport again = RunSchedule(seed);
    std::erase_if(left, [&](const auto& step) { return !again.long_steps.contains(step.first); });
  }
  if (left.empty()) return "";
  return absl::StrCat("step ", left.begin()->first, ", a ", left.begin()->second,
                      ", takes the core more than ", Seconds(limits::kLongStep), " s");
}

TEST(Schedules, EveryOneEndsWithTheReferenceState) {
  const uint64_t only = FromEnvironment("DL_SIM_SEED", 0);
  const uint64_t first = only != 0 ? only : FromEnvironment("DL_SIM_FIRST", 1);
  const uint64_t count = only != 0 ? 1 : FromEnvironment("DL_SIM_SCHEDULES", 1000);
  ScheduleReport sum;
  int failures = 0;
  for (uint64_t i = 0; i < count && failures < 5; ++i) {
    const uint64_t seed = first + i;
    ScheduleReport report = RunSchedule(seed);
    if (report.breach.empty()) report.breach = LongStep(seed, report);
    if (!report.breach.empty()) {
      ++failures;
      ADD_FAILURE() << "schedule " << seed << ": " << report.breach
                    << "\n  again with: DL_SIM_SEED=" << seed
                    << " build/release/bin/sim_test --gtest_filter='Schedules.*'";
    }
    sum.rounds += report.rounds;
    sum.jobs += report.jobs;
    sum.master_starts += report.master_starts;
    sum.executor_kills += report.executor_kills;
    sum.pauses += report.pauses;
    sum.second_leases += report.second_leases;
    sum.expired_leases += report.expired_leases;
    sum.duplicates += report.duplicates;
    sum.replayed += report.replayed;
    sum.taken_back += report.taken_back;
    sum.resumed += report.resumed;
    sum.damaged += report.damaged;
    sum.rollbacks += report.rollbacks;
    sum.gathered += report.gathered;
    sum.summed += report.summed;
    sum.cancelled_gathers += report.cancelled_gathers;
    sum.wrong_sums += report.wrong_sums;
    sum.full += report.full;
    sum.shutdowns += report.shutdowns;
    sum.left += report.left;
    sum.crashes += report.crashes;
    sum.hung += report.hung;
    sum.started_anew += report.started_anew;
    sum.not_finite += report.not_finite;
    sum.unit_failed += report.unit_failed;
    sum.quarantines += report.quarantines;
    sum.rebinds += report.rebinds;
    sum.begun += report.begun;
    sum.lost_behind_a_rebind += report.lost_behind_a_rebind;
    sum.deleted += report.deleted;
    sum.expired += report.expired;
    sum.lies.merge(report.lies);
    sum.intrusions += report.intrusions;
    sum.refused += report.refused;
    sum.answers += report.answers;
    sum.events_read += report.events_read;
    sum.virtual_seconds += report.virtual_seconds;
  }
  std::cout << count << " schedules: " << sum.jobs << " jobs, " << sum.rounds << " rounds, "
            << sum.replayed << " of them recomputed, " << sum.taken_back
            << " begun ahead of a commit that was never written, " << sum.master_starts
            << " master starts, " << sum.executor_kills << " executors killed, " << sum.pauses
            << " stopped, " << sum.expired_leases << " expired and " << sum.second_leases
            << " second leases, " << sum.duplicates << " duplicate results, " << sum.damaged
            << " checkpoints damaged, " << sum.full << " events with a full executor, "
            << sum.rollbacks << " times gone back, " << sum.gathered
            << " contributions gathered and " << sum.summed << " as sums, " << sum.cancelled_gathers
            << " gathers cancelled, " << sum.wrong_sums << " wrong sums found, " << sum.shutdowns
            << " masters shut down, " << sum.left << " executors left and " << sum.crashes
            << " crashed, " << sum.hung << " units hung and " << sum.started_anew
            << " executors started anew, " << sum.quarantines << " quarantined, " << sum.not_finite
            << " jobs failed for a loss that is no number and " << sum.unit_failed
            << " for a unit, " << sum.rebinds << " rebinds and " << sum.lost_behind_a_rebind
            << " jobs lost behind one, " << sum.begun
            << " jobs begun from another one's checkpoint, " << sum.deleted
            << " deleted by users and " << sum.expired << " by retention, " << sum.lies.size()
            << " fields of messages altered, " << sum.intrusions
            << " actions of users without the right, " << sum.refused
            << " requests refused for their number or size, " << sum.answers
            << " questions answered, " << sum.events_read << " events read, " << sum.virtual_seconds
            << " s of virtual time\n";
  if (first != 1 || count < 1000) return;
  std::set<std::string> honest = FieldsOfExecutors();
  const size_t fields = honest.size();
  for (const std::string& field : sum.lies) honest.erase(field);
  EXPECT_LE(honest.size(), fields / 5)
      << "no message was altered in: " << absl::StrJoin(honest, ", ");
  // A fault that never occurs during training tests nothing.
  EXPECT_GT(sum.expired_leases, 100);
  EXPECT_GT(sum.second_leases, 100);
  EXPECT_GT(sum.duplicates, 100);
  EXPECT_GT(sum.replayed, 300);
  EXPECT_GT(sum.taken_back, 30);
  EXPECT_GT(sum.rollbacks, 20);
  EXPECT_GT(sum.gathered, 1000);
  EXPECT_GT(sum.summed, 1000);
  EXPECT_GT(sum.cancelled_gathers, 30);
  EXPECT_GT(sum.wrong_sums, 5);
  EXPECT_GT(sum.full, 10'000);
  EXPECT_GT(sum.master_starts, 2000);
  EXPECT_GT(sum.shutdowns, 100);
  EXPECT_GT(sum.left, 100);
  EXPECT_GT(sum.crashes, 100);
  EXPECT_GT(sum.hung, 100);
  EXPECT_GT(sum.started_anew, 15);
  EXPECT_GT(sum.quarantines, 80);
  EXPECT_GT(sum.not_finite, 30);
  EXPECT_GT(sum.unit_failed, 30);
  EXPECT_GT(sum.rebinds, 10);
  EXPECT_GT(sum.begun, 100);
  EXPECT_GT(sum.deleted, 100);
  EXPECT_GT(sum.expired, 30);
  EXPECT_GT(sum.intrusions, 1000);
  EXPECT_GT(sum.refused, 1000);
  EXPECT_GT(sum.answers, 1000);
  EXPECT_GT(sum.events_read, 1000);
}

}  // namespace
}  // namespace dl::sim
