// The core's side of a job's round log: appends records, and keeps a few in memory.
#pragma once

#include <cstdint>

#include "master/core/machine/machine_component.h"

namespace dl::master {

class JobLogs : public Component {
 public:
  using Component::Component;

  // Appends a record to the hash chain and persists it with the head of the log. Returns the
  // record's index.
  int64_t AppendRecord(Job& job, const LogRecord& record);
  // Persists the head of the log.
  void PersistHead(const Job& job);
  // Persists the head and the checkpoints if log indices were found by reading the whole log.
  void PersistNoted(Job& job);
  // Loads what was read from the stored log (Preparations::Survey). Returns DataLoss if it does not
  // end at the last committed round.
  Status Restore(Job& job, const LogStretch& stretch);
};

}  // namespace dl::master
