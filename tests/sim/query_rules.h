// Answers to users are complete, durable and bounded, and only users with the right get them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/clock.h"
#include "base/json_fwd.h"
#include "base/status.h"
#include "master/gateway/answer_bounds.h"
#include "rpc/messages.h"
#include "security/role.h"
#include "storage/meta_store.h"
#include "tests/sim/audit.h"
#include "tests/sim/ledger.h"

namespace dl::sim {

class QueryRules {
 public:
  QueryRules(Audit& audit, Ledger& ledger) : audit_(audit), ledger_(ledger) {}

  master::PageBounds pages;
  master::FeedBounds feed;

  // The durable jobs when the master begins with an answer.
  struct Before {
    Instant now;
    std::map<std::string, DurableJob> jobs;
  };
  Before Now() const { return {Clock::Real().Now(), ledger_.jobs()}; }

  // A batch became durable.
  void Written(const storage::MetaBatch& batch);
  // The master admitted the caller's question.
  void Admitted(const security::Identity& who) const;
  // The master has the answer, or the error.
  void Answered(const rpc::QueryRequest& request, const Before& before,
                const StatusOr<rpc::QueryReply>& reply);
  void Answered(const rpc::EventsRequest& request, const Before& before,
                const StatusOr<rpc::EventsReply>& reply);

 private:
  // Whether the job existed when the question was asked, and was not deleted until now.
  bool MustBeKnown(const std::string& id, const Before& before) const;
  void CheckError(const std::string& job, const Before& before, const Status& error) const;
  void CheckJobsPage(const rpc::QueryRequest& request, const Before& before,
                     const rpc::QueryReply& reply) const;
  void CheckLogPage(const rpc::QueryRequest& request, const rpc::QueryReply& reply) const;
  // Checks a report of a job that was at most `age_ms` old.
  void CheckReport(const Json& report, const Before& before, int64_t age_ms) const;
  void CheckEvent(const std::string& job, int64_t sequence, const std::string& text);
  void CheckRounds(const std::string& id, int64_t rounds) const;
  // Returns the last round that was durable `age_ms` before the question; -1 if there was none.
  int64_t CommittedRound(const std::string& id, const Before& before, int64_t age_ms) const;

  Audit& audit_;
  Ledger& ledger_;
  std::map<std::string, Instant> durable_since_;                 // by job
  std::map<std::string, std::map<Instant, int64_t>> commits_;    // last round by job and time
  std::map<std::string, std::map<int64_t, std::string>> shown_;  // events by job and number
};

}  // namespace dl::sim
