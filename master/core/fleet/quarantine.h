// The quarantined executors, and the tokens that several quarantined executors used.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "base/status.h"
#include "master/core/job/recovered_job.h"

namespace dl::master {

// Keeps in memory which executors are quarantined, and counts them by token. A token loses its
// trust when kMostOfToken executors that used it are quarantined. After that, only executor names
// that were registered with the token at that time may use it. Wrong results therefore cannot
// continue under new names with this token. The caller stores all changes. Not thread-safe.
class Quarantine {
 public:
  static constexpr size_t kMostOfToken = 8;

  // `stored` has the changes that earlier processes of the master stored.
  explicit Quarantine(StoredQuarantine stored);

  const std::set<std::string>& executors() const { return executors_; }
  bool Contains(const std::string& executor) const { return executors_.contains(executor); }
  // Adds the executor and counts it for `token`, unless that is empty. Does nothing and returns
  // false if the executor is already quarantined.
  bool Add(const std::string& executor, const std::string& token);
  // Whether the token has lost its trust. Never true for the empty token.
  bool Distrusts(const std::string& token) const;
  // Lets the executor use the token even after the token has lost its trust. Must be called for
  // each registered executor of a token that loses its trust.
  void RecordKnown(const std::string& executor, const std::string& token);
  // Returns Denied if the token has lost its trust, unless RecordKnown was called for this executor
  // and token.
  Status CheckName(const std::string& executor, const std::string& token) const;

 private:
  std::set<std::string> executors_;
  std::map<std::string, size_t> of_token_;  // number of quarantined executors
  std::set<std::string> known_;             // executors of RecordKnown, as keys::OfToken()
};

}  // namespace dl::master
