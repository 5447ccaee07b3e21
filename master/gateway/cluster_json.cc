#include "master/gateway/cluster_json.h"

#include <cmath>
#include <utility>
#include <vector>

#include "base/json.h"

namespace dl::master {
namespace {

Json ToJson(const rpc::Retries& retries) {
  return {{"sessions", retries.sessions}, {"leases", retries.leases}, {"jobs", retries.jobs},
          {"states", retries.states},     {"blocks", retries.blocks}, {"results", retries.results}};
}

Json OffersJson(const std::vector<rpc::OfferedContract>& offers) {
  Json list = Json::array();
  for (const rpc::OfferedContract& offer : offers)
    list.push_back({{"kernel_contract", offer.contract}, {"isa", offer.isa}});
  return list;
}

double WholeMilliseconds(double seconds) { return std::round(1000 * seconds) / 1000; }

Json ToJson(const ExecutorView& executor) {
  return {{"executor", executor.executor},
          {"incarnation", executor.incarnation},
          {"host", executor.host},
          {"pid", executor.pid},
          {"slots", executor.slots},
          {"unit_memory_bytes", executor.unit_memory_bytes},
          {"offers", OffersJson(executor.offers)},
          {"version", executor.version},
          {"quarantined", executor.quarantined},
          {"backed_off", executor.backed_off},
          {"backoff_reason", executor.backoff_reason},
          {"restart", executor.restart},
          {"draining", executor.draining},
          {"labels", executor.labels},
          {"seconds_since_heartbeat", WholeMilliseconds(executor.seconds_since_heartbeat)},
          {"blocks_cached_bytes", executor.blocks_cached_bytes},
          {"blocks_read_bytes", executor.blocks_read_bytes},
          {"blocks_fetched_bytes", executor.blocks_fetched_bytes},
          {"retries", ToJson(executor.retries)}};
}

}  // namespace

Json ToJson(const ClusterView& cluster) {
  Json executors = Json::array();
  for (const ExecutorView& executor : cluster.executors) executors.push_back(ToJson(executor));
  return {{"term", cluster.term},
          {"executors", std::move(executors)},
          {"retries", ToJson(cluster.retries)},
          {"executors_lost", cluster.executors_lost},
          {"jobs_queued", cluster.jobs_queued}};
}

Json ToJson(const StepTimesView& times) {
  return {{"steps", times.steps},
          {"long_steps", times.long_steps},
          {"longest_ms", 1e3 * Seconds(times.longest)},
          {"longest_event", times.longest_event}};
}

}  // namespace dl::master
