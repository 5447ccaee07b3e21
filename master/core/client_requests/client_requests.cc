#include "master/core/client_requests/client_requests.h"

#include <algorithm>

#include "base/limits.h"
#include "master/core/record_keys.h"

namespace dl::master {

namespace {

std::string OwnerOf(const std::string& id) { return id.substr(0, id.find('/')); }

}  // namespace

ClientRequests::ClientRequests(Context& context, const Uses& uses, uint64_t jobs_created,
                               const std::vector<AnsweredRequest>& requests)
    : Component(context), uses_(uses), jobs_created_(jobs_created) {
  for (const AnsweredRequest& request : requests) {
    request_answers_[request.id] = request.answer;
    requests_[OwnerOf(request.id)].push_back(request);
    last_request_ = std::max(last_request_, request.number);
  }
}

void ClientRequests::RememberAnswer(const std::string& request_id, const std::string& answer) {
  const uint64_t number = ++last_request_;
  step_.batch().Put(keys::Request(number, request_id), answer);
  request_answers_[request_id] = answer;
  requests_[OwnerOf(request_id)].push_back({number, request_id, answer});
  if (static_cast<int64_t>(request_answers_.size()) > limits::kMaxRequestsRemembered)
    ForgetOneAnswer();
}

void ClientRequests::ForgetOneAnswer() {
  const auto most = std::ranges::max_element(
      requests_, {}, [](const auto& of_owner) { return of_owner.second.size(); });
  const AnsweredRequest& oldest = most->second.front();
  step_.batch().Delete(keys::Request(oldest.number, oldest.id));
  request_answers_.erase(oldest.id);
  most->second.pop_front();
}

}  // namespace dl::master
