#include "inference/export/model_facts.h"

#include <utility>

#include "base/limits.h"
#include "rpc/messages.h"

namespace dl::inference {
namespace {

// Adds "train" and "test" of the epoch that ended with `round`. After a rollback, the newest
// counts.
Status AddFiguresOfEpoch(rpc::ClientService& client, const std::string& job, int64_t round,
                         Json& metrics) {
  for (int64_t after = 0;;) {
    DL_ASSIGN_OR_RETURN(const rpc::EventsReply reply,
                        client.Events({.job = job, .after = after}, limits::kControlDeadline));
    for (const std::string& text : reply.events) {
      DL_ASSIGN_OR_RETURN(const Json event, ParseJson(text, "an event of the master"));
      if (event.value("type", "") != "epoch" || event.value("round", int64_t{-1}) != round)
        continue;
      metrics["train"] = event.value("train", Json::object());
      Json test = event.value("test", Json::object());
      if (const auto others = event.find("figures"); others != event.end()) test.update(*others);
      if (!test.empty()) metrics["test"] = std::move(test);
    }
    if (reply.last <= after) return absl::OkStatus();
    after = reply.last;
  }
}

}  // namespace

StatusOr<ModelFacts> ReadFacts(const LoadedCheckpoint& checkpoint, rpc::ClientService& client,
                               const std::string& license) {
  const std::string job = checkpoint.name.substr(0, checkpoint.name.rfind('@'));
  DL_ASSIGN_OR_RETURN(
      const rpc::QueryReply reply,
      client.Query({.what = rpc::QueryKind::kTrainManifest, .job = job}, limits::kControlDeadline));
  DL_ASSIGN_OR_RETURN(Json manifest, ParseJson(reply.json, "training manifest"));
  Json metrics = Json::object();
  for (const char* key : {"round", "epoch", "test"}) {
    if (const auto found = checkpoint.info.find(key); found != checkpoint.info.end())
      metrics[key] = *found;
  }
  DL_RETURN_IF_ERROR(AddFiguresOfEpoch(client, job, metrics.value("round", int64_t{-1}), metrics));
  return ModelFacts{.checkpoint = checkpoint,
                    .training_set = std::move(manifest),
                    .metrics = std::move(metrics),
                    .license = SpdxSpelling(license)};
}

}  // namespace dl::inference
