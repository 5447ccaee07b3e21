// A core that measures the time of each step, for tests of the cost of events.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "base/checksum.h"
#include "base/json.h"
#include "bench/core_limits/long_step.h"
#include "gtest/gtest.h"
#include "master/core/master_core.h"
#include "master/gateway/announcement_parsing.h"

namespace dl::master {

class TimedCore : public testing::Test {
 protected:
  void Begin(CoreOptions options) {
    Output output;
    core_.emplace(std::move(options), RecoveredState{}, now_, output);
  }

  // Applies the event. Returns the answer with the number token_, if there is one. States are
  // prepared at once. Sets spent_ to the processor time of the longest step.
  Answer Step(const Event& event) {
    Output output;
    const Duration before = ThreadTime();
    core_->Step(event, {.now = now_, .came = now_}, output);
    spent_ = ThreadTime() - before;
    Answer answer;
    for (auto* effects : {&output.ahead, &output.effects}) {
      for (const Effect& effect : *effects) {
        if (const auto* said = std::get_if<Answer>(&effect); said && said->token == token_)
          answer = *said;
      }
    }
    for (const Effect& effect : output.effects) {
      const auto* prepare = std::get_if<PrepareState>(&effect);
      if (prepare == nullptr) continue;
      const Duration own = spent_;
      Step(StatePrepared{.job = prepare->job,
                         .round = prepare->round,
                         .number = prepare->number,
                         .names = {.state_sha256 = "s", .parts = {{"model", "g"}}}});
      spent_ = std::max(own, spent_);
    }
    return answer;
  }
  // Returns the number of the session.
  uint64_t Register(rpc::RegisterRequest who) {
    who.incarnation = 1;
    who.contracts = {{"c1", "avx2"}};
    return std::get<rpc::RegisterReply>(Step(Asked<rpc::RegisterRequest>{++token_, who}).reply)
        .session;
  }

  // Submits a job that an executor can compute, with contributions of 4 bytes. Returns its id, or
  // "" if it is refused.
  std::string Submit(Submission submission, std::shared_ptr<const averaging::Strategy> strategy) {
    submission.spec = "{}";
    submission.train_manifest = "{}";
    JobDefinition& definition = submission.definition;
    definition.name = "job";
    definition.epochs = 1000;
    definition.strategy = std::move(strategy);
    definition.contribution_bytes = 4;
    definition.spec_sha256 = Sha256Hex(std::string("spec"));
    definition.example_hash_sum = static_cast<uint64_t>(definition.plan.workers);
    const Answer answer = Step(Asked<Submission>{++token_, std::move(submission)});
    EXPECT_TRUE(answer.status.ok()) << answer.status;
    return answer.status.ok() ? std::get<rpc::SubmitReply>(answer.reply).job : "";
  }
  // Returns an announcement of the lease's unit with a single step.
  static rpc::AnnounceRequest MakeAnnouncement(uint64_t session, const rpc::Lease& lease,
                                               const nn::MetricSums& metrics) {
    rpc::AnnounceRequest said{.session = session,
                              .lease = lease.lease,
                              .unit = lease.unit,
                              .base_sha256 = lease.base_sha256,
                              .hash = 1,
                              .spec_sha256 = lease.spec_sha256,
                              .ticket = lease.ticket};
    said.bytes = 4;
    said.examples = metrics.examples();
    said.steps = 1;
    said.example_hash_sum = 1;
    said.metrics = metrics.ToJson().dump();
    return said;
  }

  Instant now_{1'000'000'000};
  std::optional<Core> core_;
  uint64_t token_ = 0;
  Duration spent_{};
};

}  // namespace dl::master
