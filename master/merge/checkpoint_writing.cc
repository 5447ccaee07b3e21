#include "master/merge/checkpoint_writing.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace dl::master {

void CheckpointWriting::Write(const WriteCheckpoint& effect, RoundStates::State state) {
  queue_->Post([this, effect, state = std::move(state)] {
    CheckpointWritten event{
        .job = effect.job, .round = effect.round, .state_sha256 = effect.state_sha256};
    if (state == nullptr) {
      event.status = Internal(
          {.message = "the state for the checkpoint is not in memory", .where = effect.job});
      options_.post(std::move(event));
      return;
    }
    std::vector<storage::PartBytes> parts;
    for (const auto& [key, vector] : state->parts)
      parts.push_back({key, AsBytes(*vector), state->pieces.at(state->names.parts.at(key))});
    auto manifest = options_.shortage->RetryWhenExhausted(
        absl::StrCat("writing checkpoint ", effect.job, "@", effect.round), [&] {
          // Each attempt has another key, because chunks of a failed attempt may exist.
          const uint64_t nonce = next_nonce_++;
          return options_.checkpoints->Write(
              {.id = {effect.job, effect.round, options_.term, nonce},
               .state_sha256 = state->names.state_sha256,
               .parts = parts});
        });
    if (manifest.ok()) {
      event.manifest = storage::ToJson(*manifest).dump();
    } else {
      event.status = manifest.status();
    }
    options_.post(std::move(event));
  });
}

void CheckpointWriting::Delete(const DeleteCheckpoint& effect) {
  queue_->Post([this, effect] {
    auto json = ParseJson(effect.manifest, "checkpoint manifest");
    if (!json.ok()) return;
    auto manifest = storage::CheckpointManifestFromJson(*json, "manifest");
    // Chunks that remain after an error are deleted at the next start.
    if (manifest.ok()) (void)options_.checkpoints->Delete(*manifest);
  });
}

}  // namespace dl::master
