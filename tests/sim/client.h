// A user's client: repeats each request under one request id until it is answered, and remembers
// what was acknowledged.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tests/sim/network.h"
#include "tests/sim/sim_job.h"

namespace dl::sim {

class Client {
 public:
  Client(VirtualTime* time, Network* network, std::function<void(std::string)> breach)
      : time_(time), network_(network), breach_(std::move(breach)) {}

  // `done` gets the job's id, once; none when what it begins from is gone. Two ids for one request
  // are a breach.
  void Submit(const SimJob& job, std::function<void(std::string)> done);
  // Until it is answered, whatever the answer is.
  void Act(const std::string& job, rpc::JobAction action, int64_t round = -1);
  // Once, and nothing comes of the answer.
  void ActOnce(const std::string& job, rpc::JobAction action, Duration deadline,
               int64_t round = -1);
  // Under another kernel contract: of that instruction set, if it is not empty.
  void Rebind(const std::string& job, const std::string& isa);

 private:
  void TrySubmit(std::shared_ptr<master::Submission> submission,
                 std::function<void(std::string)> done);
  void TryAct(rpc::JobActionRequest request);
  void CallToAct(const rpc::JobActionRequest& request, Duration deadline,
                 std::function<void(const Status&)> done);

  VirtualTime* time_;
  Network* network_;
  std::function<void(std::string)> breach_;
  int64_t requests_ = 0;
  std::map<std::string, std::string> answers_;  // by request id
};

}  // namespace dl::sim
