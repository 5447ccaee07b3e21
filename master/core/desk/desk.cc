#include "master/core/desk/desk.h"

#include "base/limits.h"
#include "master/core/keys.h"

namespace dl::master {

Desk::Desk(Machine& machine, uint64_t jobs_created, const std::vector<AnsweredRequest>& requests)
    : Room(machine), jobs_created_(jobs_created), requests_(requests.begin(), requests.end()) {
  for (const AnsweredRequest& request : requests_) request_answers_[request.id] = request.answer;
}

void Desk::RememberAnswer(const std::string& request_id, const std::string& answer) {
  const uint64_t number = requests_.empty() ? 1 : requests_.back().number + 1;
  step_.batch().Put(keys::Request(number, request_id), answer);
  request_answers_[request_id] = answer;
  requests_.push_back({number, request_id, answer});
  if (static_cast<int64_t>(requests_.size()) <= limits::kMaxRequestsRemembered) return;
  const AnsweredRequest& oldest = requests_.front();
  step_.batch().Delete(keys::Request(oldest.number, oldest.id));
  request_answers_.erase(oldest.id);
  requests_.pop_front();
}

}  // namespace dl::master
