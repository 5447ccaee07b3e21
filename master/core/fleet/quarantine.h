// Executors that gave wrong results, and tokens of several of them.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "base/status.h"
#include "master/core/job/recovered_job.h"

namespace dl::master {

// Bounded by tokens: a token loses its trust when kMostOfToken executors that used it gave wrong
// results. From then on, only the names that were registered with it at that time may use it. Not
// thread-safe.
class Quarantine {
 public:
  static constexpr size_t kMostOfToken = 8;

  explicit Quarantine(StoredQuarantine stored);

  const std::set<std::string>& executors() const { return executors_; }
  bool Contains(const std::string& executor) const { return executors_.contains(executor); }
  // Adds the executor. Returns false when it is in quarantine already.
  bool Add(const std::string& executor, const std::string& token);
  // Whether several executors of the token gave wrong results. Never true of the empty token.
  bool Distrusts(const std::string& token) const;
  // The name may be used with the token also when the token loses its trust.
  void RecordKnown(const std::string& executor, const std::string& token);
  // Denied when the token has lost its trust and the name is new.
  Status CheckName(const std::string& executor, const std::string& token) const;

 private:
  std::set<std::string> executors_;
  std::map<std::string, size_t> of_token_;  // executors in quarantine
  std::set<std::string> known_;             // keys::OfToken()
};

}  // namespace dl::master
