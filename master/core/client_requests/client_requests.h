// What users ask: submissions, actions on jobs that are there, queries. Each submission and action
// is answered once, whatever its retries.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "master/core/machine/kept_for.h"
#include "master/core/machine/machine_component.h"

namespace dl::master {

class ClientRequests : public Component {
 public:
  // `requests`: that were answered before, oldest first.
  ClientRequests(Machine& machine, uint64_t jobs_created,
                 const std::vector<AnsweredRequest>& requests);

  void On(const Asked<Submission>& event);
  void On(const Asked<UserAction>& event);
  void On(const Asked<JobsQuery>& event);
  void On(const Asked<rpc::QueryRequest>& event);
  void On(const Asked<rpc::DrainRequest>& event);

 private:
  // ---- submissions.cc ----
  rpc::SubmitReply Submitted(const Job& job) const;
  StatusOr<Job> Admit(const Submission& submission);
  Status CheckPredecessor(const Submission& submission, Job& job);
  // ---- actions.cc: what an action did, for people ----
  StatusOr<std::string> Apply(Job& job, const UserAction& action);
  StatusOr<std::string> Cancel(Job& job);
  StatusOr<std::string> Pause(Job& job);
  Status CheckRoomForPaused(const Job& job) const;
  Status CheckRoomInQueue(const std::string& owner) const;
  StatusOr<std::string> Resume(Job& job, const rpc::JobActionRequest& request);
  StatusOr<std::string> WriteCheckpoint(Job& job);
  StatusOr<std::string> Pin(Job& job, int64_t round, bool pinned);
  StatusOr<std::string> Delete(const Job& job, KeptFor keeps);
  // ---- queries.cc ----
  std::string JobText(const Job& job, bool placed = false) const;  // with its place in the queue
  std::string ClusterText() const;

  // Request ids are each owner's own: another owner's id is none of this one's requests.
  static std::string IdOf(const std::string& owner, const std::string& request_id) {
    return owner + "/" + request_id;  // no owner's name has a slash
  }
  void RememberAnswer(const std::string& request_id, const std::string& answer);

  uint64_t jobs_created_;
  // Forgets the oldest request of the owner with the most.
  void ForgetOneAnswer();

  // A client that repeats a request gets the same answer; kMaxRequestsRemembered are kept. By IdOf.
  std::map<std::string, std::string> request_answers_;
  std::map<std::string, std::deque<AnsweredRequest>> requests_;  // by owner, oldest first
  uint64_t last_request_ = 0;                                    // its number
};

}  // namespace dl::master
