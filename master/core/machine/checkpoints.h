// Checkpoints of jobs: when they are written, and which are kept.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "master/core/job/checkpoint_name.h"
#include "master/core/machine/machine_component.h"
#include "master/core/machine/sources.h"

namespace dl::master {

class Checkpoints : public Component {
 public:
  struct Uses {
    Sources& sources;
  };
  Checkpoints(Context& context, const Uses& uses) : Component(context), uses_(uses) {}

  // Shortest time after which the core looks again whether a checkpoint is due by time.
  static constexpr Duration kPause = std::chrono::milliseconds(250);
  // Pause between two attempts on a full disk.
  static constexpr Duration kSpacePause = std::chrono::seconds(30);
  // Running time after which the time that a checkpoint has been set aside is stored.
  static constexpr Duration kTimeNotStored = std::chrono::hours(1);
  // Longest time for which readers keep a surplus checkpoint from deletion.
  static constexpr Duration kLongestRead = std::chrono::hours(1);
  // Readers of a checkpoint that can end their reading. The protection for further readers ends by
  // time.
  static constexpr int64_t kMostReaders = 256;

  // Requests a checkpoint of the current or the next state. MaybeCheckpoint() starts it.
  void RequestCheckpoint(Job& job);
  // Starts writing the state of job.at if a checkpoint is due or requested. If the round has a
  // usable one already, writes nothing, drops the request, and counts CheckpointPolicy::every from
  // now on. Starts nothing while another one is being written, while no state exists, or during a
  // pause after a full disk. While rounds are computed again, it only writes a missing checkpoint
  // of an epoch's end.
  void MaybeCheckpoint(Job& job);
  // Returns the job whose checkpoint was written, or could not be written. If the job ended or
  // rolled back meanwhile, deletes the chunks and returns null.
  Job* EndWriting(const CheckpointWritten& event);
  // Records the checkpoint and deletes surplus ones. REQUIRES: EndWriting() returned the job, and
  // event.status is OK.
  void RecordWritten(Job& job, const CheckpointWritten& event);
  // A client has read a part of the checkpoint. It is kept until the client has read the rest, but
  // at most for read_checkpoint_stays from now on, and for kLongestRead after it became surplus.
  void On(const CheckpointRead& event);
  // Ends the protection for this reader, also if the checkpoint was set aside meanwhile. Calls
  // EndReads(). A reader without a number (0) does not end early.
  void On(const ReadEnded& event);
  // Adds the evaluation of job.at to the checkpoint of that round, if it exists or is being
  // written. REQUIRES: job.log has the evaluation.
  void RecordEvaluation(Job& job);
  // Deletes surplus checkpoints (CheckpointsToDelete), and checkpoints that were set aside if
  // masters have run for set_aside_stays since then and they are not pinned. Leaves those that are
  // being read or that another job needs. If any are left that become due later, stores
  // keys::DueCheckpoints, so that retention asks again, also after a restart. Does nothing in
  // Phase::kPreparing, when a checkpoint may be loaded.
  void PruneCheckpoints(Job& job);
  // Calls PruneCheckpoints(). Also deletes a record keys::DueCheckpoints of an earlier process if
  // no such checkpoints are left.
  void PruneAgain(Job& job);
  // Ends the protection of checkpoints that are no longer read, and calls PruneCheckpoints() for
  // their jobs.
  void EndReads();
  // Returns when EndReads() must be called next; Instant::Max() if no checkpoint is being read.
  Instant FirstReadEnds() const;
  // Returns a checkpoint of the job that is still being read, if there is one, so that the job
  // must not be deleted yet. The time kLongestRead counts from the first call. REQUIRES: the job is
  // to be deleted.
  std::optional<CheckpointName> KeptForReaders(const std::string& job);
  // Forgets readers and times of the job's checkpoints. Must be called when the job is deleted.
  void Forget(const std::string& job);
  // Renames a checkpoint whose round no longer counts to JOB@ROUND~ROLLBACK, also for the jobs that
  // begin from it and for its readers, and adds it to job.set_aside. The caller removes it from
  // job.checkpoints. REQUIRES: the job's record counts the rollback.
  void SetAside(Job& job, CheckpointInfo checkpoint);

 private:
  // A checkpoint that clients read piece by piece.
  struct Reading {
    // When the protection for each reader ends, unless it reads another piece before. Readers
    // without a number, and those above kMostReaders, have the number 0.
    std::map<uint64_t, Instant> readers;
    Instant until;                // the latest of them
    std::optional<Instant> ends;  // limit of the protection once the checkpoint is surplus
    Instant due;                  // when the protection has to be checked
  };
  // Result of a search for checkpoints that are due.
  struct Found {
    bool deleted = false;
    bool left = false;  // some become due later
  };
  // Deletes the checkpoints that have been set aside for long enough.
  void PruneSetAside(Job& job, Found& found);
  // Deletes the checkpoint if no reader and no other job needs it.
  bool Delete(const CheckpointName& name, const CheckpointInfo& info, Found& found);
  void RecordDue(const std::string& job, bool is_left);
  // Returns for how long masters have run since the checkpoint was set aside. Stores this time if
  // kTimeNotStored of it is not stored.
  Duration CountTimeSetAside(const Job& job, CheckpointInfo& info);
  // Whether a reader or another job needs the checkpoint. REQUIRES: it is to be deleted.
  bool IsNeeded(const CheckpointName& name);
  // Computes until and due from readers.
  void Schedule(Reading& reading) const;
  // Whether readers still protect the checkpoint. REQUIRES: it is to be deleted.
  bool StaysForReaders(Reading& reading) const;

  const Uses uses_;
  std::map<CheckpointName, Reading> being_read_;
  // Checkpoints that were set aside, up to when the stored running time counts
  // (CheckpointInfo::set_aside_run_ms). Missing: up to the start of this process.
  std::map<CheckpointName, Instant> counted_;
  std::set<std::string> due_;  // jobs that have a record keys::DueCheckpoints
};

}  // namespace dl::master
