// Blocks stay while a job or an upload needs them, and are deleted afterwards.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "storage/meta_store.h"
#include "tests/sim/audit.h"
#include "tests/sim/ledger.h"

namespace dl::sim {

class BlockRules {
 public:
  using Blocks = std::map<std::string, std::string>;  // Disk::blocks

  BlockRules(Audit& audit, const Ledger& ledger, const Blocks& blocks)
      : audit_(audit), ledger_(ledger), blocks_(blocks) {}

  // How long a block without a job is kept at least.
  Duration kept{};

  // A client is told that the blocks that it sent are stored. The call began at `began`.
  void Acknowledged(const std::vector<std::string>& names, Instant began);
  // A client is told that a job names these blocks.
  void Submitted(const std::vector<std::string>& names);
  // A batch became durable.
  void Written(const storage::MetaBatch& batch);
  // The block is no longer stored.
  void Deleted(const std::string& name) const;
  // When nothing has happened for some time: no block is stored without a reason.
  void CheckSettled() const;

 private:
  void RecordNamed(const std::string& name);

  Audit& audit_;
  const Ledger& ledger_;
  const Blocks& blocks_;
  std::map<std::string, std::set<std::string>> named_;  // blocks that durable jobs name, by job
  std::map<std::string, Instant> named_at_;             // when a job was last found to name a block
  std::map<std::string, Instant> brought_;              // times of uploads that no job named since
};

}  // namespace dl::sim
