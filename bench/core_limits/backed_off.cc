// Requests for work of as many executors as one token may have, all backed off, in a job with as
// many open units as possible. The reliable executors registered last.
#include <algorithm>
#include <functional>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "bench/core_limits/timed_core.h"
#include "gtest/gtest.h"
#include "tests/support/plain_strategy.h"

namespace dl::master {
namespace {

constexpr int kReliable = 8;

class BackedOff : public TimedCore {
 protected:
  void SetUp() override {
    Begin({});
    Submission submission{.request_id = "request"};
    submission.definition.plan = {.examples = limits::kMaxWorkers,
                                  .workers = limits::kMaxWorkers,
                                  .batch_size = 1,
                                  .averaging_frequency = 1};
    for (int i = 0; i < limits::kMaxSessionsOfToken; ++i) {
      backed_off_.push_back(
          Register({.executor = absl::StrCat("bad-", i), .slots = 2, .token = "bad"}));
    }
    job_ = TimedCore::Submit(std::move(submission), test::PlainStrategy(1));
    for (const uint64_t session : backed_off_) {
      for (const rpc::Lease& lease : LeaseUnits(session, 2)) {
        Step(Asked<rpc::FailureReport>{++token_,
                                       {.session = session,
                                        .lease = lease.lease,
                                        .unit = lease.unit,
                                        .code = "internal",
                                        .message = "it failed",
                                        .fault = rpc::Fault::kExecutor}});
      }
    }
    for (int i = 0; i < kReliable; ++i)
      reliable_.push_back(Register({.executor = absl::StrCat("good-", i), .token = "good"}));
    now_ = now_ + std::chrono::seconds(3);  // units that failed are open again
    Step(Tick{});
    for (const uint64_t session : reliable_) {
      leases_.push_back(LeaseUnits(session, 1).at(0));
    }
    ASSERT_EQ(core_->jobs().at(job_).unit_index.open().size(),
              static_cast<size_t>(limits::kMaxWorkers - kReliable));
  }
  std::vector<rpc::Lease> LeaseUnits(uint64_t session, int32_t slots, int32_t wait_ms = 0) {
    const Answer answer = Step(Asked<rpc::LeaseRequest>{
        ++token_, {.session = session, .free_slots = slots, .wait_ms = wait_ms}});
    const auto* reply = std::get_if<rpc::LeaseReply>(&answer.reply);
    return reply == nullptr ? std::vector<rpc::Lease>{} : reply->leases;
  }
  void Report(const std::string& what, std::vector<Duration> spent) const {
    std::ranges::sort(spent, std::greater<>());
    // Other load of the machine may make two steps long.
    const Duration third = spent.at(2);
    std::cout << what << ": " << 1e3 * Seconds(third) << " ms\n";
    EXPECT_LE(third, LongStepHere()) << what;
  }

  std::string job_;
  std::vector<uint64_t> backed_off_, reliable_;
  std::vector<rpc::Lease> leases_;  // of the reliable ones
};

TEST_F(BackedOff, RequestsForWorkStayShort) {
  std::vector<Duration> spent;
  for (size_t i = 0; i < 100; ++i) {
    EXPECT_TRUE(LeaseUnits(backed_off_[i], 1).empty()) << "reliable executors are asked first";
    spent.push_back(spent_);
  }
  Report("a request for work of an executor that is backed off", spent);
}

TEST_F(BackedOff, ResultBesideWaitingRequestsStaysShort) {
  for (const uint64_t session : backed_off_) LeaseUnits(session, 1, 60'000);
  nn::MetricSums metrics;
  metrics.AddLoss(1.0);
  metrics.AddPrediction(0, 0);
  std::vector<Duration> spent;
  for (size_t i = 0; i < reliable_.size(); ++i) {
    rpc::AnnounceRequest said = MakeAnnouncement(reliable_[i], leases_[i], metrics);
    said.magnitudes = {1.0};
    Step(Asked<Announcement>{++token_, ParseAnnouncement(std::move(said))});
    spent.push_back(spent_);
  }
  Report("a result while 2,048 executors that are backed off wait for work", spent);
}

}  // namespace
}  // namespace dl::master
