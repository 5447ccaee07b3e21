// No unreadable record is written: before a batch is written, each of its records is parsed as the
// next start of the master would parse it.
#pragma once

#include "storage/meta_store.h"
#include "tests/sim/audit.h"

namespace dl::sim {

class RecordRules {
 public:
  explicit RecordRules(Audit& audit) : audit_(audit) {}

  // The batch is about to be written.
  void Check(const storage::MetaBatch& batch) const;

 private:
  Audit& audit_;
};

}  // namespace dl::sim
