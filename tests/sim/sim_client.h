// The client of a user. Unless stated otherwise, it repeats a request with the same request id
// while it is unclear whether the master executed it. It remembers which jobs were accepted.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tests/sim/audit.h"
#include "tests/sim/sim_job.h"
#include "tests/sim/sim_network.h"
#include "tests/sim/users.h"

namespace dl::sim {

class Client {
 public:
  Client(VirtualTime* time, Network* network, Users* users, const Audit* audit)
      : time_(time), network_(network), users_(users), audit_(audit) {}

  // Submits the job for its owner, or as an admin if the priority is above 0, and sends its blocks
  // before. Calls `done` once with the job's id, or with an empty id if the job's source was
  // deleted. Two ids for one request are a breach.
  void Submit(const SimJob& job, std::function<void(std::string)> done);
  // Sends a block that no job names, once, and ignores the answer.
  void SendBlock(const std::string& content);
  // The job's owner or the operator acts.
  void Act(const std::string& job, rpc::JobAction action, int64_t round = -1);
  // Acts once and ignores the answer.
  void ActOnce(const std::string& job, rpc::JobAction action, Duration deadline,
               int64_t round = -1);
  // A user acts once, with a new request id or the one that was used last.
  void ActAs(const security::Identity& who, rpc::JobActionRequest request, bool used_id);
  // Requests another kernel contract, with that instruction set if it is not empty.
  void Rebind(const std::string& job, const std::string& isa);

 private:
  struct Submission {
    rpc::SubmitRequest request;
    security::Identity by;
    std::map<std::string, std::string> blocks;  // contents, by their SHA-256
    std::function<void(std::string)> done;
    Instant began;            // of the last attempt
    bool is_unclear = false;  // an earlier attempt may have been executed
  };
  using SharedSubmission = std::shared_ptr<Submission>;  // shared by the attempts
  // Asks which blocks the master lacks, and goes on with TrySend() or TrySubmit().
  void TryAsk(SharedSubmission submission);
  void TrySend(SharedSubmission submission, const std::vector<std::string>& names);
  void TrySubmit(SharedSubmission submission);
  void Submitted(SharedSubmission submission, const rpc::SubmitReply& reply);
  void CallToSend(const security::Identity& who, const rpc::PutBlocksRequest& request,
                  std::function<void(const Status&)> done);
  void TryAct(rpc::JobActionRequest request);
  void CallToAct(const security::Identity& who, const rpc::JobActionRequest& request,
                 Duration deadline, std::function<void(const Status&)> done);
  std::string NextId();
  // Returns the user that acts with this request id: the job's owner or the operator.
  const security::Identity& ActorOn(const rpc::JobActionRequest& request);

  VirtualTime* time_;
  Network* network_;
  Users* users_;
  const Audit* audit_;
  int64_t requests_ = 0;
  std::map<std::string, std::string> answers_;  // by request id
  std::map<std::string, std::string> owners_;   // by job
};

}  // namespace dl::sim
