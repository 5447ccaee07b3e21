// What a session is to be told by the answers to its heartbeats, again and again until it says that
// an answer arrived.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "rpc/messages.h"

namespace dl::master {

class Notices {
 public:
  // Contributions of rounds before this one need not be kept: one word a job, the latest says it
  // all.
  void Committed(const std::string& job, int64_t round) {
    said_.committed.erase(job);
    fresh_.committed[job] = round;
  }
  void Offer(std::string part) { fresh_.offers.insert(std::move(part)); }
  // The job goes back: what was said of its rounds does not hold.
  void Forget(const std::string& job) {
    said_.committed.erase(job);
    fresh_.committed.erase(job);
  }

  // The answer to a heartbeat that says which answer was the last to arrive.
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
  Words fresh_;  // since
  uint64_t number_ = 0;
};

}  // namespace dl::master
