// No event costs the core more than limits::kLongStep of processor time, because all requests wait
// for it. These tests combine the largest messages of peers with the maximum numbers of jobs and
// executors. The simulator asserts the same for every step of its schedules.
#include <functional>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/limits.h"
#include "bench/core_limits/timed_core.h"
#include "gtest/gtest.h"
#include "tests/support/plain_strategy.h"

namespace dl::master {
namespace {

constexpr int kExecutors = 1000;
constexpr int kUnits = 1000;  // of a job's round
constexpr int kQueued = 990;
constexpr int64_t kClasses = limits::kMaxAnnouncedClasses;
constexpr int64_t kExamples = kClasses * kClasses;  // of a unit
constexpr int64_t kMostSegments = 1 << 17;          // of the largest announcement

class StepCost : public TimedCore {
 protected:
  void SetUp() override {
    Begin({});
    for (int i = 0; i < kExecutors; ++i) sessions_.push_back(Register(Who(i)));
    job_ = Submit("running");
    for (int i = 0; i < kQueued; ++i) Submit(absl::StrCat("queued-", i));
    for (const uint64_t session : sessions_) {
      const auto leases = std::get<rpc::LeaseReply>(
          Step(Asked<rpc::LeaseRequest>{++token_, {.session = session, .free_slots = 1}}).reply);
      if (!leases.leases.empty()) leases_[session] = leases.leases.front();
    }
    ASSERT_GT(leases_.size(), 900u);
  }

  static rpc::RegisterRequest Who(int number) {
    return {.executor = absl::StrCat("executor-", number),
            .incarnation = 1,
            .slots = 1,
            .contracts = {{"c1", "avx2"}},
            .unit_memory_bytes = 1000 + number};
  }
  std::string Submit(const std::string& request) {
    Submission submission{.request_id = request, .owner = request.back() % 2 == 0 ? "ada" : "bob"};
    submission.definition.plan = {.examples = kUnits * kExamples,
                                  .workers = kUnits,
                                  .batch_size = kExamples,
                                  .averaging_frequency = 1};
    submission.definition.unit_bytes = 500;
    static const auto large = test::PlainStrategy(kMostSegments);
    return TimedCore::Submit(std::move(submission), large);
  }

  // Uses the minimum of several runs, because other load of the machine is not counted.
  void ExpectCheap(const std::string& what, const std::function<Event()>& make) {
    constexpr int kTimes = 20;
    Duration least = Duration::max();
    for (int i = 0; i < kTimes; ++i) {
      now_ = now_ + std::chrono::milliseconds(1);
      Step(make());
      least = std::min(least, spent_);
    }
    std::cout << what << ": " << 1e3 * Seconds(least) << " ms\n";
    EXPECT_LE(least, LongStepHere()) << what;
  }

  void Registrations();
  void Heartbeats();
  void Announcements();
  void ComingAndGoing();
  void Questions();

  std::vector<uint64_t> sessions_;
  std::map<uint64_t, rpc::Lease> leases_;
  std::string job_;
};

void StepCost::Registrations() {
  rpc::RegisterRequest who = Who(0);
  for (int64_t i = 0; i < limits::kMaxHeldParts; ++i)
    who.held_parts.push_back(Sha256Hex(absl::StrCat(i)));
  for (int32_t i = 0; i < limits::kMaxHeldContributions; ++i)
    who.held_contributions.push_back({{job_, UnitKind::kTrain, 1, i}, 1});
  ExpectCheap("a registration with 1,024 contributions of one job", [&] {
    return Asked<rpc::RegisterRequest>{++token_, who};
  });
  for (int32_t i = 0; i < limits::kMaxHeldContributions; ++i)
    who.held_contributions[i].unit.job = absl::StrCat("nobody-knows-this-one-", i);
  for (int32_t i = 0; i < limits::kMaxSlots; ++i)
    who.crashed.push_back({{job_, UnitKind::kTrain, 1, i}, Sha256Hex(std::string("x")), "SIGSEGV"});
  ExpectCheap("a registration with 1,024 contributions of as many jobs and 1,024 crashes", [&] {
    return Asked<rpc::RegisterRequest>{++token_, who};
  });
}

void StepCost::Heartbeats() {
  rpc::HeartbeatRequest beat{.session = sessions_.back()};
  for (int32_t i = 0; i < limits::kMaxUnitsInProgress; ++i)
    beat.running.push_back({.unit = {job_, UnitKind::kTrain, 1, i % kUnits}, .lease = 1});
  ExpectCheap("a heartbeat of 8,192 units", [&] {
    return Asked<rpc::HeartbeatRequest>{++token_, beat};
  });
}

void StepCost::Announcements() {
  // The training units of this job must have no confusion matrix.
  nn::MetricSums metrics;
  for (int64_t example = 0; example < kExamples; ++example) {
    metrics.AddLoss(1.0);
    metrics.AddPrediction(example / kClasses, example % kClasses);
  }
  EXPECT_LE(static_cast<int64_t>(metrics.ToJson().dump().size()), limits::kMaxMetricsBytes);
  auto holder = leases_.begin();
  ExpectCheap("an announcement of 131,072 segments", [&] {
    const auto& [session, lease] = *holder++;
    rpc::AnnounceRequest said = MakeAnnouncement(session, lease, metrics);
    said.magnitudes.assign(kMostSegments, 1.0);
    return Asked<Announcement>{++token_, ParseAnnouncement(std::move(said))};
  });
  int64_t accepted = 0;
  for (const auto& [id, job] : core_->jobs()) {
    for (const auto& [index, unit] : job.units) accepted += unit.accepted ? 1 : 0;
  }
  EXPECT_EQ(accepted, std::distance(leases_.begin(), holder));
}

void StepCost::ComingAndGoing() {
  ExpectCheap("a request for leases that waits", [&] {
    return Asked<rpc::LeaseRequest>{
        ++token_, {.session = sessions_.back(), .free_slots = 1024, .wait_ms = 10'000}};
  });
  int next = kExecutors;
  ExpectCheap("an executor more", [&] {
    return Asked<rpc::RegisterRequest>{++token_, Who(next++)};
  });
  auto leaving = sessions_.begin();
  ExpectCheap("an executor that leaves", [&] {
    return Asked<rpc::GoodbyeRequest>{++token_, {.session = *leaving++}};
  });
}

void StepCost::Questions() {
  ExpectCheap("a part of a query of the cluster", [&] { return Asked<ClusterQuery>{++token_}; });
  ExpectCheap("a query of a job", [&] { return Asked<JobQuery>{++token_, {.job = job_}}; });
  int more = 0;
  ExpectCheap("a submission more", [&] {
    Submission submission{.request_id = absl::StrCat("more-", more++), .spec = "{}"};
    submission.definition.plan = {
        .examples = 1, .workers = 1, .batch_size = 1, .averaging_frequency = 1};
    return Asked<Submission>{++token_, submission};
  });
}

// All in one test, because preparing them takes a thousand times as many events.
TEST_F(StepCost, LargestEvents) {
  Announcements();
  Heartbeats();
  Questions();
  ComingAndGoing();
  Registrations();
}

}  // namespace
}  // namespace dl::master
