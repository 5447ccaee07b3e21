// A job's round log as the core holds it: what is appended, the few records that stay in memory,
// and how others are asked for, when rounds have to be computed again.
#pragma once

#include "master/core/machine/room.h"

namespace dl::master {

class JobLogs : public Room {
 public:
  using Room::Room;

  int64_t AppendRecord(Job& job, const LogRecord& record);  // its place
  void PersistHead(const Job& job);
  void PersistNoted(Job& job);
  // Before rounds behind `round`, whose state is a checkpoint's or the first, are computed again.
  void Survey(Job& job, int64_t round);
  // The commits of the next rounds to be computed again are not in memory.
  void ReadAhead(Job& job);
  void On(const LogSurveyed& event);
  void On(const CommitsRead& event);

 private:
  Status TakeStretch(Job& job, const LogStretch& stretch);
};

}  // namespace dl::master
