#include "master/merge/merge_engine.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "master/merge/received_content.h"
#include "master/merge/slice.h"

namespace dl::master {

MergeEngine::MergeEngine(Options options)
    : post_(std::move(options.post)),
      merges_({.jobs = &jobs_,
               .checkpoints = options.checkpoints,
               .shortage = &shortage_,
               .material = std::move(options.material),
               .post = post_,
               .make_queue = options.make_queue}),
      receiving_(jobs_, merges_, post_),
      checkpoints_({.checkpoints = options.checkpoints,
                    .shortage = &shortage_,
                    .term = options.term,
                    .post = post_,
                    .make_queue = options.make_queue}) {}

void MergeEngine::Do(const PrepareState& effect) { merges_.Post(effect); }

void MergeEngine::Do(const OpenRound& effect) {
  const RunningJobs::Data data = jobs_.Find(effect.job);
  if (data == nullptr) return;
  data->staging.DropAllBut(effect.round);
  data->gathers.Clear();
  data->offered.Clear();  // the job continues: offered parts came too late
  merges_.Open(data, effect);
}

void MergeEngine::Do(const ExpectContribution& effect) {
  const RunningJobs::Data data = jobs_.Find(effect.unit.job);
  if (data != nullptr) data->staging.Expect(effect, data->pool);
}

void MergeEngine::Do(const DropContribution& effect) {
  const RunningJobs::Data data = jobs_.Find(effect.unit.job);
  if (data != nullptr) data->staging.Drop(effect);
}

void MergeEngine::Do(const OpenGather& effect) {
  const RunningJobs::Data data = jobs_.Find(effect.job);
  if (data == nullptr) return;
  data->gathers.Clear();
  merges_.Open(data, effect);
}

void MergeEngine::Do(const ExpectGather& effect) {
  const RunningJobs::Data data = jobs_.Find(effect.job);
  if (data == nullptr) return;
  const int64_t bytes = GatheredBytes(data->material.layout(), effect);
  data->gathers.Expect(effect, bytes, data->pool);
}

void MergeEngine::Do(const DropGather& effect) {
  const RunningJobs::Data data = jobs_.Find(effect.job);
  if (data != nullptr) data->gathers.Drop(effect.number);
}

void MergeEngine::Do(const Merge& effect) { merges_.Post(effect); }

void MergeEngine::Do(const Publish& effect) {
  const RunningJobs::Data data = jobs_.Find(effect.job);
  if (data != nullptr) data->states.Publish(effect.round);
}

void MergeEngine::Do(const Retire& effect) {
  const RunningJobs::Data data = jobs_.Find(effect.job);
  if (data == nullptr) return;
  data->states.DropBefore(effect.round);
  data->staging.DropThrough(effect.round);
}

void MergeEngine::Do(const ExpectPart& effect) {
  const RunningJobs::Data data = jobs_.Find(effect.job);
  if (data != nullptr && !data->states.empty()) data->offered.Expect(effect.sha256);
}

void MergeEngine::Do(const WriteCheckpoint& effect) {
  // Take the state now, because later rounds may be merged before it is written.
  const RunningJobs::Data data = jobs_.Find(effect.job);
  checkpoints_.Write(effect, data == nullptr ? nullptr : data->states.Find(effect.round));
}

void MergeEngine::Do(const DeleteCheckpoint& effect) { checkpoints_.Delete(effect); }

void MergeEngine::Do(const ReleaseJob& effect) { jobs_.Release(effect.job); }

StatusOr<rpc::ContributionReply> MergeEngine::Contribute(const rpc::ContributionChunk& chunk) {
  if (const RunningJobs::Data data = jobs_.Find(chunk.unit.job); data != nullptr)
    data->traffic.Contributed(chunk.bytes.size());
  return receiving_.Contribute(chunk);
}

StatusOr<rpc::ContributionReply> MergeEngine::Contribute(uint64_t session, const UnitId& unit,
                                                         uint64_t hash, SharedVector vector) {
  return receiving_.Contribute(session, unit, hash, std::move(vector));
}

Status MergeEngine::OfferPart(const rpc::OfferChunk& chunk) { return receiving_.OfferPart(chunk); }

SharedVector MergeEngine::FindPart(const std::string& job, const std::string& sha256) {
  const RoundStates::State state = Published(job);
  return state == nullptr ? nullptr : state->Find(sha256);
}

StatusOr<rpc::Chunk> MergeEngine::FetchPart(const rpc::FetchRequest& request) {
  const RunningJobs::Data data = jobs_.Find(request.job);
  const RoundStates::State state = data == nullptr ? nullptr : data->states.Published();
  const SharedVector part = state == nullptr ? nullptr : state->Find(request.sha256);
  if (part == nullptr) {
    return NotFound(
        {.message = absl::StrCat("job ", request.job, " has no current state ", request.sha256)});
  }
  DL_ASSIGN_OR_RETURN(rpc::Chunk chunk, Slice(request, AsBytes(*part)));
  if (request.offset == 0) chunk.piece_hashes = state->pieces.at(request.sha256);
  data->traffic.Fetched(chunk.bytes.size());
  return chunk;
}

RoundStates::State MergeEngine::Published(const std::string& job) const {
  const RunningJobs::Data data = jobs_.Find(job);
  return data == nullptr ? nullptr : data->states.Published();
}

}  // namespace dl::master
