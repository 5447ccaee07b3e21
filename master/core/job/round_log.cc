#include "master/core/job/round_log.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace dl::master {
namespace {

// The rounds from `from` on are computed under `contract`. Later entries are replaced.
void Bind(std::vector<LogHead::Bound>& bounds, int64_t from, const std::string& contract) {
  std::erase_if(bounds, [&](const LogHead::Bound& bound) { return bound.from >= from; });
  if (bounds.empty() || bounds.back().contract != contract) bounds.push_back({from, contract});
}

}  // namespace

int64_t LogHead::Append(const LogRecord& record, std::string sha256) {
  const int64_t place = length++;
  last_sha256 = std::move(sha256);
  switch (record.type) {
    case RecordType::kStart:
      contract = record.contract;
      Bind(bounds, record.round, contract);
      commit = place;
      break;
    case RecordType::kRebind:
      contract = record.contract;
      Bind(bounds, record.round + 1, contract);
      break;
    case RecordType::kCommit:
      commit = place;
      break;
    case RecordType::kEvaluation:
      evaluation = place;
      break;
    case RecordType::kRollback:
      // The following rounds are computed under the last contract, even if it had begun after this
      // round.
      Bind(bounds, record.round + 1, contract);
      commit = evaluation = kUnknown;
      break;
  }
  return place;
}

std::string LogHead::ContractOf(int64_t round) const {
  std::string found;
  for (const Bound& bound : bounds) {
    if (bound.from <= round) found = bound.contract;
  }
  return found;
}

bool LogHead::AreUnder(const std::string& wanted, int64_t first, int64_t last) const {
  if (bounds.empty()) return contract == wanted;
  if (ContractOf(first) != wanted) return false;
  return std::ranges::none_of(bounds, [&](const Bound& bound) {
    return bound.from > first && bound.from <= last && bound.contract != wanted;
  });
}

Status CheckLog(const std::vector<LogRecord>& log, std::string_view job) {
  int64_t round = -1;
  for (size_t i = 0; i < log.size(); ++i) {
    const LogRecord& record = log[i];
    const bool opens = record.type == RecordType::kStart || record.type == RecordType::kCommit;
    const bool start = record.type == RecordType::kStart;
    const bool back = record.type == RecordType::kRollback;
    const bool follows = back ? record.round >= 0 && record.round < round
                              : record.round == (opens ? round + 1 : round);
    if (start != (i == 0) || !follows) {
      return DataLoss(
          {.message = "a record of the round log does not follow the records before it",
           .where = absl::StrCat("job ", std::string(job), ", record ", i, " of its round log")});
    }
    round = record.round;
  }
  return absl::OkStatus();
}

}  // namespace dl::master
