#include "master/merge/job_state.h"

#include <algorithm>

#include "base/trace.h"

namespace dl::master {

SharedVector RoundState::Find(const std::string& sha256) const {
  if (names.global_sha256 == sha256) return global;
  for (size_t i = 0; i < names.worker_sha256.size(); ++i) {
    if (names.worker_sha256[i] == sha256) return workers[i];
  }
  return nullptr;
}

StateNames NameState(const averaging::StateLayout& layout, const RoundState& state) {
  const Span span(spans::kName);
  StateNames names;
  names.global_sha256 = StateSha256(layout.global, state.global->span());
  if (state.workers.empty()) {
    names.state_sha256 = names.global_sha256;
    return names;
  }
  std::vector<std::span<const float>> workers;
  for (const SharedVector& worker : state.workers) {
    workers.push_back(worker->span());
    names.worker_sha256.push_back(StateSha256(layout.worker, worker->span()));
  }
  names.state_sha256 = StateSha256(layout.global, state.global->span(), layout.worker, workers);
  return names;
}

StatusOr<SharedVector> CopyVector(std::span<const float> values) {
  DL_ASSIGN_OR_RETURN(FloatBuffer buffer, FloatBuffer::Create(static_cast<int64_t>(values.size())));
  std::copy(values.begin(), values.end(), buffer.data());
  return std::make_shared<const FloatBuffer>(std::move(buffer));
}

}  // namespace dl::master
