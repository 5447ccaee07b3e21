// The master's decisions as a pure state machine: Step(event, now) changes the state and says what
// to persist and what to do. One thread, no I/O, no clock, no randomness. DESIGN section 5 is its
// specification, docs/architecture.md tells it in prose.
//
// Split by concern: core.cc (dispatch, timers), sessions.cc (executors), leasing.cc (who computes
// what), progress.cc (who brings nothing), results.cc (what units computed), rounds.cc (open,
// merge, commit), gathering.cc (rounds that are not staged), failures.cc (units that fail),
// trust.cc (results that differ, going back), memory.cc (whose memory holds what), evaluation.cc,
// lifecycle.cc (submission to end), contracts.cc, actions.cc (cancel, resume, ...), checkpoints.cc,
// upkeep.cc (what follows from what was touched, and from time), waiting.cc (what nobody can
// serve), recovery.cc, log.cc (the round log), queries.cc.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "master/core/events.h"
#include "master/core/job.h"
#include "master/core/notices.h"
#include "master/core/recovered_job.h"
#include "master/core/reports.h"
#include "master/core/session.h"

namespace dl::master {

// When an event is applied. Intervals begin at `now`: the master's word cannot leave earlier. They
// end by `came`: nobody is late whose own word waits in the queue behind a slow write.
struct Moment {
  Instant now;
  Instant came;              // when the event came, `now` or earlier; never goes back
  int64_t wall_unix_ms = 0;  // is only written into records, for people
};

class Core {
 public:
  Core(CoreOptions options, RecoveredState recovered, Instant now, Output& out);

  // Applies one event.
  void Step(const Event& event, const Moment& moment, Output& out);

  // When Step(Tick) has to be called at the latest.
  Instant NextDeadline() const;

  bool ReadyToStop() const;  // after ShutdownRequested: nothing is left to write

  uint64_t term() const { return term_; }
  const std::map<std::string, Job>& jobs() const { return jobs_; }  // that have not ended
  // One of those, or one that ended lately; null for others.
  const Job* Find(const std::string& id) const;
  const std::set<std::string>& quarantined() const { return quarantined_; }

  // Asserts what must always hold; the message of the first breach, or OK. Tests and the simulator
  // call it after every step.
  Status CheckInvariants() const;

 private:
  // sessions.cc
  void On(const Asked<rpc::RegisterRequest>& event);
  void On(const Asked<rpc::HeartbeatRequest>& event);
  void On(const Asked<rpc::GoodbyeRequest>& event);
  void On(const SessionDisconnected& event);
  void DropSession(uint64_t id, std::string_view why);
  void TakeBackWhatIsNotHeld(Session& session, const std::vector<rpc::UnitProgress>& held);
  void ExpireSessions();
  Session* FindSession(uint64_t id);
  // leasing.cc
  void On(const Asked<rpc::LeaseRequest>& event);
  void ServeParked();
  std::vector<rpc::Lease> LeasesFor(const Session& session, int32_t slots);
  struct Work {
    const Job* job = nullptr;
    const Unit* unit = nullptr;
    bool second = false;     // somebody computes it already
    bool held_back = false;  // there is none until there is room for another job's unit
  };
  bool IsServed(const Session& session) const;
  bool IsFor(const Session& session, const Job& job, const Unit& unit) const;
  const Unit* FirstFor(const Session& session, const Job& job) const;
  const Unit* FirstStraggler(const Session& session, const Job& job) const;
  Work FindWork(const Session& session) const;
  static std::vector<rpc::NamedPart> PartsFor(const Job& job, const UnitId& unit);
  rpc::Lease Grant(const Session& session, const Work& work);
  void AskForMore(const Session& session, int32_t free_slots);
  uint64_t Unpark(uint64_t number);
  void AnswerLease(uint64_t token, rpc::LeaseReply reply);
  static bool IsAtHome(const Job& job, int32_t worker, const Session& session);
  static std::vector<int32_t> TurnOf(const Session& session, const Job& job);
  static std::optional<UnitId> NextUnit(const Session& session, const Job& job, const UnitId& unit,
                                        std::vector<int32_t>& turn);
  Duration StragglingAfter(const Job& job) const;
  bool OthersAreAskedFirst(const Job& job, const Unit& unit, const std::string& executor) const;
  bool IsEligible(const Session& session, const Job& job) const;
  size_t EligibleExecutors(const Job& job) const;
  bool AnyEligible(const Job& job,
                   const std::function<bool(const std::string& executor)>& holds) const;
  bool SomebodyIsAble(const Job& job, const Unit& unit, const std::string& except = "") const;
  bool SomebodyMayDecide(const Job& job, const Unit& unit) const;
  bool MayLease(const Job& job, const Unit& unit, const std::string& executor) const;
  bool SomebodyMayLease(const Job& job, const Unit& unit) const;
  void ExpireLeases(Job& job, Unit& unit);
  // memory.cc. What an executor has for units is shared by those that it computes at once, not by
  // its slots: four slots and room for two units make two at once. Units of different jobs share it
  // too, so whether one may begin depends on what the session has leased (RoomOf). Who could not
  // hold a unit even alone counts for its job as one of another kernel contract does: it is not
  // asked, decides nothing, and nobody waits for it (Holds). Who says nothing of its memory holds
  // everything.
  static int64_t MemoryOf(const Session& session);
  static bool Holds(const Session& session, const Job& job);
  int64_t RoomOf(const Session& session) const;
  void NoteRoom(uint64_t session);
  bool WouldCount(const Session& session, const Job& job) const;
  struct TooSmall {  // executors that would count for a job if they held its units
    std::vector<std::string> names;
    int64_t largest = 0;  // what one of them has for units, at most
  };
  TooSmall TooSmallFor(const Job& job) const;
  static std::string WhyTooSmall(const Job& job, const TooSmall& executors);
  Status FitsAnywhere(const JobDefinition& definition) const;
  void CountEligible(const Session& session, int64_t change);
  Status CheckMemory() const;
  // progress.cc
  Duration ProgressBound(const Job& job) const;
  Duration StartAnewBound(const Job& job, const Session& session) const;
  void NoteProgress(UnitLease& lease, const rpc::UnitProgress& progress);
  void NoteProgress(AcceptedResult& result, const rpc::UnitProgress& progress);
  void FindStandstills(Job& job, Unit& unit);
  void StartAnew(const Job& job, Session& session, const std::string& why);
  void FailHung(Job& job, const Unit& unit);
  void SetAside(Job& job, Session& session, const std::string& why);
  void GiveUpOn(const Job& job, Session& session);
  bool IsAside(const std::string& executor) const;
  void NoteDelivery(const Session& session);
  void EndOvertakenLeases(Unit& unit);
  // results.cc
  void On(const Asked<Announcement>& event);
  void On(const ContributionStaged& event);
  void On(const ContributionRefused& event);
  Unit* FindOpenUnit(Job& job, const UnitId& id);
  bool MayRepeatThePast(const Job& job, const Session& session,
                        const rpc::AnnounceRequest& said) const;
  rpc::Verdict Accept(Job& job, Unit& unit, Session& session, const Announcement& announcement);
  rpc::Verdict TakeResult(Unit& unit, Session& session, const Announcement& announcement);
  void TakeBack(Unit& unit);
  void NoteDuration(Job& job, Duration duration);
  // rounds.cc
  void On(const RoundMerged& event);
  void TakeVotes(Job& job, int64_t round);
  void RecheckEpoch(Job& job, int64_t round, uint64_t sum);
  void NoteVoters(Job& job, int64_t round);
  void OpenNextRound(Job& job);
  void PreferHolders(Job& job, int64_t round);
  void CloseWhatIsSettled(Job& job);
  static bool MayClose(const Job& job);
  static averaging::GridExponents GridOf(const Job& job);
  void BeginMerge(Job& job);
  void ReopenRound(Job& job);
  bool MayRestOnSums(const Job& job, int64_t round) const;
  void Commit(Job& job, const StateNames& names);
  void AbandonUnits(Job& job);
  // gathering.cc
  void BeginGather(Job& job);
  bool GathersOn(const Job& job, const averaging::GridExponents& grid) const;
  bool GatherAnew(Job& job, averaging::GridExponents grid);
  uint64_t NextGather();
  void PlanGathers(Job& job);
  bool IsOpened(const Job& job, const std::string& executor) const;
  void AskForGathers(Job& job);
  void CancelGathers(Job& job);
  rpc::Gather GatherMessage(const Job& job, uint64_t number, const PendingGather& gather) const;
  std::vector<rpc::Gather> GathersFor(Session& session, bool again);
  void TellOfGathers();
  void On(const Gathered& event);
  void On(const GatherRefused& event);
  void On(const SumContradicted& event);
  Status CheckGathers(const Job& job) const;
  Status CheckTrust(const Job& job) const;
  // failures.cc
  void On(const Asked<rpc::FailureReport>& event);
  void NoteFailure(Job& job, Unit& unit, const Session& session, const rpc::FailureReport& report);
  void NoteCrashes(const Session& session);
  bool IsNotFinite(const Job& job, const Unit& unit) const;
  void NoteRetry(Job& job, const Unit& unit, const Session& session,
                 const rpc::FailureReport& report);
  // trust.cc
  // Voters that are no executors: the commit of a round that is computed again, and whoever
  // computed a unit in an earlier life of the master.
  static constexpr std::string_view kCommitted = "the commit";
  static constexpr std::string_view kUnknownExecutor = "an executor of earlier";
  struct GoingBack {
    int64_t to = 0;  // the last round that counts
    std::map<UnitId, std::vector<UnitResult>> votes;
    std::string why;  // empty: whose results the rounds rest on
  };
  void OpenDispute(Job& job, const Unit& unit);
  std::optional<uint64_t> SettleDispute(Job& job, Unit& unit);
  void QuarantineWhoAloneSawNoNumber(Job& job, const Unit& unit);
  void Quarantine(const std::string& executor);
  void NoteUnverified(Job& job, const Unit& unit, int64_t round);
  void NoteUnopened(Job& job, int64_t round);
  void PersistUnverified(Job& job);
  void GoBack(Job& job, GoingBack back);
  void ForgetRoundsBehind(Job& job, int64_t round);
  void CompareWithCommit(Job& job, Session& session, const Announcement& announcement);
  void Contradict(Job& job, const Session& session, const Announcement& announcement,
                  const CommittedUnit& committed);
  // evaluation.cc
  void OpenEvaluation(Job& job);
  void CloseEvaluation(Job& job);
  // lifecycle.cc
  void On(const Asked<Submission>& event);
  void On(const Asked<UserAction>& event);
  void On(const StatePrepared& event);
  void On(const CheckpointWritten& event);
  void On(const CheckpointRead& event);
  void On(const ShutdownRequested&);
  void StartQueuedJobs();
  void StartJob(Job& job);
  Status TakeSource(Job& job);
  static StatusOr<PrepareState> FirstState(const Job& job);
  void NoteWanted(const Job& job);
  void RememberEnded(const std::shared_ptr<const RecoveredJob>& ended);
  void SetEndedApart();
  void On(const EndRecorded& event);
  void Prepare(Job& job, PrepareState effect);
  bool Rebind(Job& job);
  void PreparationFailed(Job& job, int64_t round, const Status& why);
  void Advance(Job& job);
  void Finish(Job& job);
  void End(Job& job, JobState state, Reason reason, Status error);
  void Fail(Job& job, Reason reason, Status error) {
    End(job, JobState::kFailed, reason, std::move(error));
  }
  void SetState(Job& job, JobState state, Reason reason, std::string message);
  void RequestCheckpoint(Job& job);
  void MaybeCheckpoint(Job& job);
  void PruneCheckpoints(Job& job);
  void PersistCheckpoint(const Job& job, const CheckpointInfo& checkpoint);
  void NoteEvaluation(Job& job);
  void EndReads();
  bool IsWantedElsewhere(const Job& job, int64_t round) const;
  StatusOr<std::string> Apply(Job& job, const UserAction& action);
  StatusOr<std::string> Delete(const Job& job);
  // contracts.cc
  bool IsContractKnown(const Session& session) const;
  bool MayDecideContract(const Session& session, const Job& job) const;
  bool OffersWhatIsAsked(const Session& session, const Job& job) const;
  bool BindContract(Job& job);
  Instant ContractDecidedAt(Instant first) const;
  struct Lack {
    Reason reason = Reason::kNone;
    std::string message;
    bool operator==(const Lack&) const = default;
  };
  Lack WhyUnbound(const Job& job) const;
  Lack WhyWithoutExecutors(const Job& job) const;
  std::string BoundHow(Job& job);
  Excluded ExcludedFrom(const Job& job) const;
  void TellExcluded(const Job& job);
  rpc::SubmitReply Submitted(const Job& job) const;
  // upkeep.cc
  void Touch(const Job& job);
  void TouchUnit(Job& job, int32_t unit);
  void TouchUnits(Job& job);
  void TouchWhoIsThere();
  void TouchStandings();
  Board::Entry EntryOf(const Job& job, const Unit& unit) const;
  void RefreshUnits(Job& job);
  void NoteWork(Job& job);
  Instant DueOf(const Job& job) const;
  void NoteDue(Job& job);
  void NoteDue(Session& session);
  void TakeWhatIsDue();
  void ExpireUnits(Job& job);
  void Settle();
  void SettleJob(Job& job);
  Status CheckUpkeep() const;
  // waiting.cc
  // After a start executors come back before a job is said to wait for them.
  Instant WaitingBegins() const { return began_ + options_.recovery_grace; }
  bool LacksExecutors(const Job& job) const;
  void UpdateWaiting(Job& job);
  void WaitFor(Job& job, JobState state, const Lack& lack);
  void FailUndecided(Job& job);
  void FailUncomputable(Job& job);
  // recovery.cc
  void LoadJob(RecoveredJob recovered);
  void GoOn(Job& job);
  void BeginRecovery(Job& job);
  void LoadNextCheckpoint(Job& job);
  void BeginReplay(Job& job);
  void CloseOffers(Job& job);
  void AskForParts(Job& job);
  void On(const PartArrived& event);
  void EndOffers(Job& job);
  static std::string ReplayText(const Job& job);
  // log.cc
  int64_t AppendRecord(Job& job, const LogRecord& record);  // its place
  void PersistHead(const Job& job);
  void PersistNoted(Job& job);
  void Survey(Job& job, int64_t round);
  void On(const LogSurveyed& event);
  Status TakeStretch(Job& job, const LogStretch& stretch);
  void ReadAhead(Job& job);
  void On(const CommitsRead& event);
  // queries.cc
  void On(const Asked<rpc::QueryRequest>& event);
  void On(const Asked<JobsQuery>& event);
  std::string JobText(const Job& job) const;
  std::string ClusterText() const;
  Json ResultEvent(const Job& job) const;
  double WallSeconds(const Job& job) const;

  static constexpr Duration kCheckpointPause = std::chrono::milliseconds(250);

  void On(const Tick&) {}
  void PersistJob(const Job& job);
  void PublishState(const Job& job);  // of job.at
  void RememberAnswer(const std::string& request_id, const std::string& answer);
  void EmitEvent(const Job& job, Json event);
  void WriteLog(std::string line);
  void AnswerWith(uint64_t token, Status status, Reply reply = {});
  Job* FindJob(const std::string& id);

  CoreOptions options_;
  uint64_t term_;
  uint64_t start_;
  uint64_t secret_;
  Instant began_;
  uint64_t jobs_created_;
  uint64_t next_session_ = 1;
  uint64_t next_lease_ = 1;
  uint64_t next_expected_ = 1, next_merge_ = 1, next_preparation_ = 1, next_gather_ = 1;
  bool stopping_ = false;
  std::map<std::string, Job> jobs_;  // that have not ended
  // That ended: those that the store does not tell of yet, and the last others (ended_kept).
  std::map<std::string, Job> ended_;
  std::vector<std::string> just_ended_;                    // in this step: still in jobs_
  std::deque<std::pair<std::string, uint64_t>> recorded_;  // ends that the store tells of
  uint64_t next_end_ = 1;
  // Checkpoints, and jobs that begin from them and have none of their own yet.
  std::set<std::pair<std::string, std::string>> wanted_;
  // Checkpoints that stay for a reader until then.
  std::map<std::pair<std::string, int64_t>, Instant> being_read_;
  std::vector<std::string> queue_;  // jobs waiting to start, oldest first
  std::map<uint64_t, Session> sessions_;
  std::set<std::string> quarantined_;          // executors whose results were the odd ones out
  std::map<std::string, Standing> standings_;  // of executors that brought nothing of late
  std::map<std::string, uint64_t> names_;      // of executors: their sessions
  // Sessions that are not quarantined, by contract and by memory for units.
  std::map<std::string, std::map<int64_t, int64_t>> eligible_;
  std::map<uint64_t, ParkedLease> parked_;  // in the order in which they came
  uint64_t next_parked_ = 1;
  std::set<uint64_t> ask_again_;  // of those: fresh ones, and such whose session has more room
  std::set<uint64_t> held_back_;  // of those: they waited for room when they were asked last
  std::set<uint64_t> to_tell_;    // sessions, of what is gathered of them
  // Upkeep: what was touched in this step, and what is due when.
  std::set<std::string> touched_;  // jobs
  bool queue_changed_ = false;     // queued jobs may start, or have another reason not to
  bool work_changed_ = false;      // an executor that waits may find work
  std::set<std::pair<Instant, std::string>> due_jobs_;
  std::set<std::pair<Instant, uint64_t>> due_sessions_, due_parked_;
  Instant next_aside_ = Instant::Max(), queue_due_ = Instant::Max();
  std::set<std::pair<size_t, std::string>> open_jobs_;  // by the leases that they have
  std::set<std::pair<Instant, std::string>> straggling_;
  std::set<std::string> leased_jobs_;  // of which somebody has leases
  // A client that repeats a request gets the same answer; the last kMaxRequestsRemembered are kept.
  std::map<std::string, std::string> request_answers_;
  std::deque<AnsweredRequest> requests_;

  // Of the step under way.
  Instant now_, came_;  // of the event being applied
  int64_t wall_unix_ms_ = 0;
  Output* out_ = nullptr;
};

}  // namespace dl::master
