#include "master/core/job/ticket.h"

#include <cstring>
#include <span>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"

namespace dl::master {

uint64_t TicketFor(uint64_t secret, const Job& job, const Granted& granted) {
  // Each text has its length, so that no two grants give the same: executors choose their names.
  std::string text =
      absl::StrCat("lease ", granted.lease, " of unit ", static_cast<int>(granted.unit.kind), " ",
                   granted.unit.round, " ", granted.unit.index);
  for (const std::string_view field : {granted.executor, std::string_view(granted.unit.job),
                                       std::string_view(job.definition.spec_sha256),
                                       granted.base_sha256, std::string_view(job.record.contract)})
    absl::StrAppend(&text, " ", field.size(), ":", std::string(field));
  const Sha256::Digest mac = HmacSha256(std::as_bytes(std::span(&secret, 1)), text);
  uint64_t ticket = 0;
  std::memcpy(&ticket, mac.data(), sizeof(ticket));
  return ticket;
}

}  // namespace dl::master
