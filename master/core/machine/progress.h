// Executors that are heard and bring nothing. That a heartbeat comes says nothing of the work:
// units go on when their steps or bytes rise. One that does not holds nobody up, and who brings
// nothing is asked last and told to start anew.
#pragma once

#include <string>

#include "master/core/machine/room.h"

namespace dl::master {

class Progress : public Room {
 public:
  using Room::Room;

  static constexpr Duration kFirstAside = std::chrono::seconds(10);
  static constexpr Duration kLongestAside = std::chrono::minutes(10);

  // How long a unit may show no progress: the job's floor, or what many of its units take.
  static Duration ProgressBound(const Job& job);
  // When an executor whose unit stands still is told to start anew.
  Duration StartAnewBound(const Job& job, const Session& session) const;
  // Takes over the progress of a leased unit from a heartbeat.
  void NoteProgress(UnitLease& lease, const rpc::UnitProgress& progress);
  // The same for an accepted result that its holder adds up with others. The master cannot see the
  // adding, so the holder's report counts, a bounded number of times.
  void NoteProgress(AcceptedResult& result, const Job& job,
                    const rpc::UnitProgress& progress) const;
  // Progress of an accepted result: bytes that the master has received for the first time.
  void On(const BytesArrived& event);
  // Bytes of a result that was asked for at `asked_for` have arrived from the session. Results that
  // were asked for later wait in its queue, which counts as progress of theirs.
  void NoteArrival(Session& session, Instant asked_for);
  // Of one that is computed without a lease: whether it still moves. Nobody else looks at it.
  bool NoteProgress(Unleased& unit, const Job& job, const rpc::UnitProgress& progress) const;
  void NoteDelivery(const Session& session);
  void FindStandstills(Job& job, Unit& unit);
  void EndOvertakenLeases(Unit& unit);
  // Other executors are asked first, for a pause that doubles each time in a row (kFirstAside to
  // kLongestAside). A warning of the job says so; `why` is for people, too.
  void SetAside(Job& job, const std::string& executor, const std::string& why);

 private:
  void TakeBackUndelivered(Job& job, Unit& unit, const std::string& why);
  void StartAnew(Job& job, Session& session, const std::string& why);
  void GiveUpOn(Job& job, Session& session);
};

}  // namespace dl::master
