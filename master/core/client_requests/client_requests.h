// Requests of users: submissions, actions on existing jobs, queries. A submission or action that
// succeeded is not executed again when it is repeated, as long as its answer is remembered.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "master/core/machine/checkpoints.h"
#include "master/core/machine/contracts.h"
#include "master/core/machine/endings.h"
#include "master/core/machine/job_logs.h"
#include "master/core/machine/kept_for.h"
#include "master/core/machine/lifecycle.h"
#include "master/core/machine/machine_component.h"
#include "master/core/machine/queue.h"
#include "master/core/machine/sources.h"
#include "master/core/machine/trust.h"

namespace dl::master {

class ClientRequests : public Component {
 public:
  struct Uses {
    Checkpoints& checkpoints;
    Contracts& contracts;
    Endings& endings;
    Lifecycle& lifecycle;
    JobLogs& logs;
    Queue& queue;
    Sources& sources;
    Trust& trust;
  };
  // `jobs_created`: number of jobs that were submitted before. `requests`: requests that were
  // answered before, oldest first.
  ClientRequests(Context& context, const Uses& uses, uint64_t jobs_created,
                 const std::vector<AnsweredRequest>& requests);

  // Each function answers its request with the reply or with an error. An action or a drain that is
  // accepted may take effect later: the answer to a cancellation, for example, does not wait for
  // the last checkpoint.
  void On(const Asked<Submission>& event);
  void On(const Asked<UserAction>& event);
  void On(const Asked<PruneRequest>& event);
  void On(const Asked<JobsQuery>& event);
  void On(const Asked<JobQuery>& event);
  void On(const Asked<ResultQuery>& event);
  void On(const Asked<CheckpointsQuery>& event);
  void On(const Asked<ClusterQuery>& event);
  void On(const Asked<rpc::DrainRequest>& event);

 private:
  // ---- submissions.cc ----
  rpc::SubmitReply Submitted(const Job& job) const;
  StatusOr<Job> Admit(const Submission& submission);
  Status CheckPredecessor(const Submission& submission, Job& job);
  // ---- actions.cc: the results are messages for people ----
  StatusOr<std::string> Apply(Job& job, const UserAction& action);
  StatusOr<std::string> Cancel(Job& job);
  StatusOr<std::string> Pause(Job& job);
  Status CheckRoomForPaused(const Job& job) const;
  Status CheckRoomInQueue(const std::string& owner) const;
  StatusOr<std::string> Resume(Job& job, const rpc::JobActionRequest& request);
  StatusOr<std::string> WriteCheckpoint(Job& job);
  enum class Pinning { kPinned, kUnpinned };
  StatusOr<std::string> Pin(Job& job, const CheckpointName& name, Pinning pinning);
  StatusOr<std::string> Delete(const Job& job, KeptFor keeps, int64_t round);
  // ---- queries.cc ----
  // Leaves out the position in the queue, because finding it takes time for each queued job.
  JobView ViewJob(const Job& job) const;
  ClusterView ViewCluster(uint64_t from) const;
  // Answers with NotFound and returns null if the job is not in memory.
  const Job* FindOrRefuse(uint64_t token, const std::string& id);

  // A request id is unique per owner. Equal ids of different owners are different requests.
  static std::string IdOf(const std::string& owner, const std::string& request_id) {
    return owner + "/" + request_id;  // names of owners contain no slash
  }
  void RememberAnswer(const std::string& request_id, const std::string& answer);

  const Uses uses_;
  uint64_t jobs_created_;
  // Drops the oldest answer of the owner with the most answers.
  void ForgetOneAnswer();

  // At most kMaxRequestsRemembered answers, by IdOf: the message of an action, or the id of the
  // submitted job. A repeated submission gets the same id, with current figures if the job is in
  // memory.
  std::map<std::string, std::string> request_answers_;
  std::map<std::string, std::deque<AnsweredRequest>> requests_;  // by owner, oldest first
  uint64_t last_request_ = 0;                                    // number of the last request
};

}  // namespace dl::master
