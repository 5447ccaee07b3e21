#include "inference/checkpoint_reader.h"

#include "absl/strings/str_cat.h"
#include "averaging/job_strategy.h"
#include "base/limits.h"
#include "base/part_name.h"
#include "executor/transfer.h"
#include "inference/checkpoint_reading.h"
#include "inference/round_log_reader.h"
#include "master/core/job/job.h"
#include "master/core/job/round_log.h"
#include "master/core/records/log_record.h"
#include "rpc/checkpoint_list.h"
#include "rpc/messages.h"

namespace dl::inference {
namespace {

// Fetches and verifies one part.
StatusOr<FloatBuffer> FetchPart(CheckpointReading& reading, const LoadedCheckpoint::Part& part) {
  const SegmentTable& table = part.layout->table;
  DL_ASSIGN_OR_RETURN(FloatBuffer buffer, FloatBuffer::Create(table.size()));
  const auto pieces = executor::FetchPart(
      [&](int64_t offset, int64_t length) { return reading.Fetch(part.key, offset, length); },
      table, part.sha256, std::as_writable_bytes(buffer.span()));
  if (!pieces.ok()) {
    return WithContext(pieces.status(),
                       absl::StrCat("reading ", reading.checkpoint(), "/", part.key));
  }
  return buffer;
}

// Returns the entry of the checkpoint that LoadCheckpoint reads for this name. Sets `job`.
StatusOr<Json> FindCheckpoint(const std::string& name, std::string& job,
                              rpc::ClientService& client) {
  const size_t at = name.rfind('@');
  job = name.substr(0, at);
  const std::optional<rpc::RoundName> round =
      at == std::string::npos ? rpc::RoundName() : rpc::ParseRound(name.substr(at + 1));
  if (job.empty() || !round) {
    return InvalidArgument(
        {.message = absl::StrCat("\"", name, "\" is not the name of a checkpoint"),
         .remedy = "Use JOB@ROUND, JOB@best, or JOB for its newest checkpoint"});
  }
  DL_ASSIGN_OR_RETURN(
      rpc::QueryReply reply,
      client.Query({.what = rpc::QueryKind::kCheckpoints, .job = job}, limits::kControlDeadline));
  DL_ASSIGN_OR_RETURN(const Json list, ParseJson(reply.json, "checkpoints"));
  if (const Json* found = rpc::FindCheckpoint(list, *round)) return *found;
  return NotFound({.message = absl::StrCat("there is no checkpoint ", name),
                   .remedy = absl::StrCat("List them with: dl-submit checkpoints ", job)});
}

std::string UseAnother(const std::string& job) {
  return absl::StrCat("Use another checkpoint: dl-submit checkpoints ", job);
}

// Fills in the requested parts without their values, and the name of the complete state.
void NameParts(LoadedCheckpoint& loaded, CheckpointContent content) {
  const Json said = loaded.info.value("parts", Json::object());
  const averaging::StateLayout& layout = loaded.strategy->layout();
  std::map<std::string, std::string> names;
  for (const averaging::PartLayout& part : layout.parts) {
    const bool of_workers = part.scope == averaging::PartScope::kWorker;
    const int64_t count = of_workers ? loaded.spec.training.workers : 1;
    for (int64_t m = 0; m < count; ++m) {
      const std::string key = part.KeyOf(m);
      const std::string name = said.value(key, "");
      names.emplace(key, name);
      const bool evaluated = &part == &layout.evaluated();
      if (content != CheckpointContent::kAll && !evaluated) continue;
      const auto place = evaluated ? loaded.parts.begin() : loaded.parts.end();
      loaded.parts.insert(place, {.key = key, .layout = &part, .values = {}, .sha256 = name});
    }
  }
  loaded.state_sha256 = StateSha256(names);
}

}  // namespace

StatusOr<std::string> ContractOf(const LoadedCheckpoint& checkpoint, rpc::ClientService& client) {
  std::string told = checkpoint.info.value("kernel_contract", "");
  if (!told.empty()) return told;
  const std::string job = checkpoint.name.substr(0, checkpoint.name.rfind('@'));
  DL_ASSIGN_OR_RETURN(
      rpc::QueryReply reply,
      client.Query({.what = rpc::QueryKind::kJob, .job = job}, limits::kControlDeadline));
  DL_ASSIGN_OR_RETURN(Json json, ParseJson(reply.json, job));
  // The contract can change only when a job is resumed.
  if (json.value("attempt", int64_t{1}) <= 1) return json.value("kernel_contract", "");
  master::LogHead head;
  Status readable;
  DL_RETURN_IF_ERROR(ReadRoundLog(client, job, [&](const Json& json) {
    const auto record = master::LogRecordFromJson(json, "the round log of " + job);
    readable.Update(record.status());
    if (record.ok()) (void)head.Append(*record, /*sha256=*/"");
  }));
  DL_RETURN_IF_ERROR(readable);
  return head.ContractOf(checkpoint.info.value("round", int64_t{0}));
}

StatusOr<LoadedCheckpoint> DescribeCheckpoint(const std::string& name, CheckpointContent content,
                                              rpc::ClientService& client) {
  LoadedCheckpoint loaded;
  std::string job;
  DL_ASSIGN_OR_RETURN(loaded.info, FindCheckpoint(name, job, client));
  loaded.name = loaded.info.value("checkpoint", "");
  DL_ASSIGN_OR_RETURN(
      rpc::QueryReply spec,
      client.Query({.what = rpc::QueryKind::kSpec, .job = job}, limits::kControlDeadline));
  DL_ASSIGN_OR_RETURN(loaded.spec, job::JobFromText(spec.json, "spec of " + job));
  DL_ASSIGN_OR_RETURN(loaded.strategy, averaging::MakeStrategy(loaded.spec));
  NameParts(loaded, content);
  if (loaded.state_sha256 != loaded.info.value("state_sha256", "")) {
    return DataLoss({.message = absl::StrCat("checkpoint ", loaded.name,
                                             " differs from the state that its round committed"),
                     .where = loaded.name,
                     .remedy = UseAnother(job)});
  }
  return loaded;
}

StatusOr<LoadedCheckpoint> LoadCheckpoint(const std::string& name, CheckpointContent content,
                                          rpc::ClientService& client) {
  DL_ASSIGN_OR_RETURN(LoadedCheckpoint loaded, DescribeCheckpoint(name, content, client));
  const std::string remedy = UseAnother(loaded.name.substr(0, loaded.name.rfind('@')));
  CheckpointReading reading(client, loaded.name);
  for (LoadedCheckpoint::Part& part : loaded.parts) {
    auto values = FetchPart(reading, part);
    if (absl::IsDataLoss(values.status()) && ErrorRemedy(values.status()).empty())
      return WithRemedy(values.status(), remedy);
    DL_ASSIGN_OR_RETURN(part.values, std::move(values));
  }
  return loaded;
}

}  // namespace dl::inference
