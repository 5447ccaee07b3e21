// Rules for leases: which executors may hold leases of which units.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "master/core/master_core.h"
#include "tests/sim/audit.h"

namespace dl::sim {

class LeaseRules {
 public:
  explicit LeaseRules(Audit& audit) : audit_(audit) {}

  // Sets the executor's memory for the units that it computes at once.
  void SetMemory(const std::string& executor, int64_t bytes) { memory_[executor] = bytes; }
  void SetLabels(const std::string& executor, std::vector<std::string> labels) {
    labels_[executor] = std::move(labels);
  }
  // The executor lies: rules about its own reports do not apply to it.
  void RecordLiar(const std::string& executor) { liars_.insert(executor); }
  void AddContract(const std::string& executor, const std::string& contract) {
    contracts_[executor].insert(contract);
  }
  // Called after every event. These rules hold:
  // - An executor has at most one lease of a unit, and leases for no more than its memory.
  // - It is not in quarantine, has the job's kernel contract and the labels that the job needs.
  // - No more executors have leases of a job than may compute it.
  // - No unit gets a lease while two others of it make progress.
  // - No executor gets a unit at which it failed while another executor may try it.
  // - An executor that alone reported a loss that is not finite is in quarantine.
  void Check(const master::Core& core);
  // The master let an executor leave, so the executor must not hold any of its work.
  void CheckLeft(const master::Core& core, uint64_t session) const;

 private:
  void CheckUnit(const master::Core& core, const master::Job& job, const master::Unit& unit);
  static bool AnotherMayTry(const master::Core& core, const master::Job& job,
                            const master::Unit& unit);
  void CheckMemory(const master::Core& core);

  void CheckSharing(const master::Job& job) const;

  Audit& audit_;
  std::set<std::string> liars_;
  std::set<uint64_t> seen_;  // leases
  std::map<std::string, std::vector<std::string>> labels_;
  std::map<std::string, int64_t> memory_;
  std::map<std::string, std::set<std::string>> contracts_;  // contracts of each executor
};

}  // namespace dl::sim
