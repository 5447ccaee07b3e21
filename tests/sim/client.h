// A user's client: repeats each request under one request id until it is answered, and remembers
// what was acknowledged.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tests/sim/network.h"
#include "tests/sim/sim_job.h"
#include "tests/sim/users.h"

namespace dl::sim {

class Client {
 public:
  Client(VirtualTime* time, Network* network, Users* users, std::function<void(std::string)> breach)
      : time_(time), network_(network), users_(users), breach_(std::move(breach)) {}

  // Submits the job for its owner; an admin does it where the priority is above 0. `done` gets the
  // job's id, once; none when what it begins from is gone. Two ids for one request are a breach.
  void Submit(const SimJob& job, std::function<void(std::string)> done);
  // The job's owner or the operator acts, until the request is answered, whatever the answer is.
  void Act(const std::string& job, rpc::JobAction action, int64_t round = -1);
  // Once, and nothing comes of the answer.
  void ActOnce(const std::string& job, rpc::JobAction action, Duration deadline,
               int64_t round = -1);
  // A user acts, once, under a request id of its own or the one that was used last.
  void ActAs(const security::Identity& who, rpc::JobActionRequest request, bool used_id);
  // Under another kernel contract: of that instruction set, if it is not empty.
  void Rebind(const std::string& job, const std::string& isa);

 private:
  struct Submission {
    rpc::SubmitRequest request;
    security::Identity by;
  };
  void TrySubmit(std::shared_ptr<Submission> submission, std::function<void(std::string)> done);
  void TryAct(rpc::JobActionRequest request);
  void CallToAct(const security::Identity& who, const rpc::JobActionRequest& request,
                 Duration deadline, std::function<void(const Status&)> done);
  std::string NextId();
  // The user that acts under this request id, always the same: the job's owner or the operator.
  const security::Identity& ActorOn(const rpc::JobActionRequest& request);

  VirtualTime* time_;
  Network* network_;
  Users* users_;
  std::function<void(std::string)> breach_;
  int64_t requests_ = 0;
  std::map<std::string, std::string> answers_;  // by request id
  std::map<std::string, std::string> owners_;   // by job
};

}  // namespace dl::sim
