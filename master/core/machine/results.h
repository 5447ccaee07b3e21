// What units computed: announcements, what they mean, and the bytes behind them.
#pragma once

#include "master/core/machine/room.h"

namespace dl::master {

class Results : public Room {
 public:
  using Room::Room;

  void On(const Asked<Announcement>& event);
  void On(const ContributionStaged& event);
  void On(const ContributionRefused& event);
  // A unit of the open round or evaluation; also while the round is merged. Null for others.
  Unit* FindOpenUnit(Job& job, const UnitId& id);
  // The accepted result's bytes are not to be had: somebody computes it again.
  void TakeBack(Unit& unit);

 private:
  bool MayRepeatThePast(const Job& job, const Session& session,
                        const rpc::AnnounceRequest& said) const;
  bool WasLeased(const Job& job, const Session& session, const rpc::AnnounceRequest& said) const;
  rpc::Verdict Accept(Job& job, Unit& unit, Session& session, const Announcement& announcement);
  rpc::Verdict TakeResult(Job& job, Unit& unit, Session& session, const Announcement& announcement);
  void NoteDuration(Job& job, Duration duration);

  uint64_t next_expected_ = 1;
};

}  // namespace dl::master
