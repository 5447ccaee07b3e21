#include "executor/make_announcement.h"

#include "base/checksum.h"
#include "base/fail_point.h"
#include "base/json.h"
#include "base/log.h"
#include "base/part_name.h"
#include "base/trace.h"
#include "rpc/messages.h"

namespace dl::executor {

StatusOr<rpc::AnnounceRequest> MakeAnnouncement(const JobContext& job, const rpc::Lease& lease,
                                                UnitResult& result, bool& not_finite) {
  rpc::AnnounceRequest announcement;
  announcement.unit = lease.unit;
  announcement.base_sha256 = lease.base_sha256;
  announcement.ticket = lease.ticket;
  announcement.examples = result.examples;
  announcement.steps = result.steps;
  announcement.example_hash_sum = result.example_hash_sum;
  announcement.activations = result.activations;
  announcement.metrics = result.metrics.ToJson().dump();
  if (lease.unit.kind == UnitKind::kEvaluate) {
    announcement.hash = Xxh3(announcement.metrics);
    return announcement;
  }
  if (!FailPoint("executor.lie").ok()) {
    LogWarning("fail point executor.lie: wrong result of unit ", ToString(lease.unit));
    result.state->data()[0] += 1.0f;
  }
  const std::span<const float> state = result.state->span();
  Span hashing(spans::kHash, SubjectOf(lease.unit));
  announcement.hash = Xxh3(std::as_bytes(state));
  hashing.End();
  announcement.bytes = static_cast<int64_t>(state.size_bytes());
  Span measuring(spans::kMeasure, SubjectOf(lease.unit));
  auto magnitudes = job.strategy->Measure(state);
  measuring.End();
  if (!magnitudes.ok()) {
    not_finite = true;
    return InvalidArgument(
        {.message = std::string(magnitudes.status().message()),
         .where = ErrorWhere(magnitudes.status()),
         .remedy = "Lower the learning rate, clip gradients, or normalize the data"});
  }
  announcement.magnitudes = *std::move(magnitudes);
  for (const averaging::PartLayout* part : job.layout().PartsWith(averaging::PartScope::kWorker))
    announcement.parts.push_back({part->name, PartSha256(part->table, part->In(state))});
  return announcement;
}

void AddTimes(const TimesInSlot& times, rpc::AnnounceRequest& announcement) {
  const auto micros = [](Duration time) { return time / std::chrono::microseconds(1); };
  announcement.unit_us = micros(times.ended - times.began);
  announcement.computing_us = micros(times.ended - times.state_arrived - times.data_wait);
  announcement.data_wait_us = micros(times.data_wait);
  announcement.state_wait_us = micros(times.state_wait);
}

}  // namespace dl::executor
