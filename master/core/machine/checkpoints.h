// Checkpoints: when one is written, and which ones stay.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "master/core/machine/machine_component.h"

namespace dl::master {

class Checkpoints : public Component {
 public:
  using Component::Component;

  static constexpr Duration kPause = std::chrono::milliseconds(250);  // between two by time
  static constexpr Duration kSpacePause = std::chrono::seconds(30);   // on a full disk
  // A checkpoint that is to be deleted stays for its readers for so long, however they go on.
  static constexpr Duration kLongestRead = std::chrono::hours(1);

  void RequestCheckpoint(Job& job);
  void MaybeCheckpoint(Job& job);
  void On(const CheckpointWritten& event);
  void On(const CheckpointRead& event);
  void PersistCheckpoint(const Job& job, const CheckpointInfo& checkpoint);
  void RecordEvaluation(Job& job);
  void PruneCheckpoints(Job& job);
  // Deletes those that were set aside long ago, unless they are pinned or another job begins there.
  // Returns whether any was deleted.
  bool PruneSetAside(Job& job);
  void EndReads();
  Instant FirstReadEnds() const;
  // The round of a checkpoint for whose readers the job has to stay, if there is one. kLongestRead
  // counts from the first call. REQUIRES: the job is to be deleted.
  std::optional<int64_t> KeptForReaders(const std::string& job);
  // The job is deleted.
  void ForgetReads(const std::string& job);
  // The checkpoint's round does not count any more. It stays as JOB@ROUND~ROLLBACK, and so do
  // jobs that begin from it. REQUIRES: the rollback is counted in the job's record.
  void SetAside(Job& job, CheckpointInfo checkpoint);

 private:
  void WaitForSpace(Job& job, const Status& why);

  // A checkpoint that clients read, piece by piece.
  struct Reading {
    Instant until;                // when it has ended, unless another piece is read before
    std::optional<Instant> ends;  // until then it keeps a checkpoint that is to be deleted
    Instant due;                  // when it may end to keep the checkpoint
  };
  // Whether the checkpoint has to stay for its readers. REQUIRES: it is to be deleted.
  bool StaysForReaders(Reading& reading) const;

  std::map<std::pair<std::string, int64_t>, Reading> being_read_;  // by job and round
};

}  // namespace dl::master
