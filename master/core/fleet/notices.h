// Notices that a session gets in the answers to its heartbeats. Each notice is repeated until the
// executor acknowledges the latest answer, or until the notice is replaced or removed.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "rpc/messages.h"

namespace dl::master {

class Notices {
 public:
  // Informs the executor that contributions of rounds before `round` need not be kept; INT64_MAX:
  // none of the job. A later notice of the same job replaces an earlier one.
  void Committed(const std::string& job, int64_t round) {
    said_.committed.erase(job);
    fresh_.committed[job] = round;
  }
  // Asks the executor for a part that it holds, named as "JOB/SHA256".
  void Offer(std::string part) { fresh_.offers.insert(std::move(part)); }
  // Removes the commit notice of a job that rolls back, because it no longer holds.
  void Forget(const std::string& job) {
    said_.committed.erase(job);
    fresh_.committed.erase(job);
  }

  // Returns the answer to a heartbeat. `seen` is the number of the last answer that arrived.
  rpc::HeartbeatReply Next(uint64_t seen) {
    if (seen == number_) said_ = {};
    said_.committed.merge(fresh_.committed);
    said_.offers.merge(fresh_.offers);
    fresh_ = {};
    rpc::HeartbeatReply reply{.number = ++number_};
    for (const auto& [job, round] : said_.committed) reply.committed.push_back({job, round});
    reply.offer.assign(said_.offers.begin(), said_.offers.end());
    return reply;
  }

 private:
  struct Words {
    std::map<std::string, int64_t> committed;  // by job
    std::set<std::string> offers;
  };
  Words said_;   // in answers that may not have arrived
  Words fresh_;  // for the next answer
  uint64_t number_ = 0;
};

}  // namespace dl::master
