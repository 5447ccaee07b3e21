// The core's side of a job's round log: appends records, keeps a few in memory, and requests others
// from the store when rounds have to be computed again.
#pragma once

#include "master/core/machine/machine_component.h"

namespace dl::master {

class JobLogs : public Component {
 public:
  using Component::Component;

  // Appends a record to the hash chain and persists it with the head of the log. Returns the
  // record's index.
  int64_t AppendRecord(Job& job, const LogRecord& record);  // its place
  // Persists the head of the log.
  void PersistHead(const Job& job);
  // Persists the head and the checkpoints if log indices were found by reading the whole log.
  void PersistNoted(Job& job);
  // Requests the log from the checkpoint of `round`, or from the start, before rounds after `round`
  // are computed again. Enters Phase::kPreparing; LogSurveyed continues.
  void Survey(Job& job, int64_t round);
  // Requests the commits of the next rounds that are computed again and are not in memory. Enters
  // Phase::kPreparing; CommitsRead continues.
  void ReadAhead(Job& job);
  // Both ignore answers to earlier requests. They FAIL the job if the log could not be read or is
  // not complete.
  void On(const LogSurveyed& event);
  void On(const CommitsRead& event);

 private:
  Status TakeStretch(Job& job, const LogStretch& stretch);
};

}  // namespace dl::master
