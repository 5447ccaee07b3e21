// Checkpoints: when one is written, and which ones stay.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "master/core/machine/room.h"

namespace dl::master {

class Checkpoints : public Room {
 public:
  using Room::Room;

  static constexpr Duration kPause = std::chrono::milliseconds(250);  // between two by time
  static constexpr Duration kSpacePause = std::chrono::seconds(30);   // on a full disk

  void RequestCheckpoint(Job& job);
  void MaybeCheckpoint(Job& job);
  void On(const CheckpointWritten& event);
  void On(const CheckpointRead& event);
  void PersistCheckpoint(const Job& job, const CheckpointInfo& checkpoint);
  void NoteEvaluation(Job& job);
  void PruneCheckpoints(Job& job);
  // Deletes those that were set aside long ago, unless they are pinned or another job begins there.
  // Returns whether any was deleted.
  bool PruneSetAside(Job& job);
  void EndReads();
  Instant FirstReadEnds() const;
  // One of the job's that somebody reads.
  std::optional<int64_t> BeingRead(const std::string& job) const;
  // The checkpoint's round does not count any more. It stays as JOB@ROUND~ROLLBACK, and so do
  // jobs that begin from it. REQUIRES: the rollback is counted in the job's record.
  void SetAside(Job& job, CheckpointInfo checkpoint);

 private:
  void WaitForSpace(Job& job, const Status& why);

  // Checkpoints that stay for a reader until then.
  std::map<std::pair<std::string, int64_t>, Instant> being_read_;
};

}  // namespace dl::master
