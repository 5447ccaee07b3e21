// Executors that gave wrong results, and tokens with several such executors.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "base/status.h"
#include "master/core/job/recovered_job.h"

namespace dl::master {

// A token loses its trust when kMostOfToken of its executors have given wrong results. Afterwards,
// only the names that were registered with it at that time may use it. This bounds the number of
// names. Not thread-safe.
class Quarantine {
 public:
  static constexpr size_t kMostOfToken = 8;

  explicit Quarantine(StoredQuarantine stored);

  const std::set<std::string>& executors() const { return executors_; }
  bool Contains(const std::string& executor) const { return executors_.contains(executor); }
  // Adds the executor. Returns false if it is already quarantined.
  bool Add(const std::string& executor, const std::string& token);
  // Whether the token has lost its trust. Never true for the empty token.
  bool Distrusts(const std::string& token) const;
  // Lets the name use the token even after the token has lost its trust.
  void RecordKnown(const std::string& executor, const std::string& token);
  // Returns Denied if the token has lost its trust and the name is new.
  Status CheckName(const std::string& executor, const std::string& token) const;

 private:
  std::set<std::string> executors_;
  std::map<std::string, size_t> of_token_;  // number of quarantined executors
  std::set<std::string> known_;             // keys::OfToken()
};

}  // namespace dl::master
