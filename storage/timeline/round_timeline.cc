#include "storage/timeline/round_timeline.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/varint.h"

namespace dl::storage {
namespace {

constexpr uint8_t kVersion = 1;
constexpr size_t kOpenedBytes = 8;
constexpr int64_t kMaxTicks = int64_t{1} << 14;  // two bytes of a variable-length number
constexpr int kMaxShift = 48;
constexpr int kEndBits = 4;
constexpr std::array<std::string_view, 9> kEndNames = {
    "",     "committed", "confirmed", "contradicted", "failed",
    "lost", "expired",   "overtaken", "distrusted"};

// Returns the smallest shift that makes all times of the round numbers below kMaxTicks.
int ShiftOf(const RoundTimeline& round) {
  int64_t longest = round.length_us;
  for (const LeaseSpan& lease : round.leases)
    longest = std::max({longest, lease.ended_us, lease.sending_us});
  int shift = 0;
  while (shift < kMaxShift && longest >> shift >= kMaxTicks) ++shift;
  return shift;
}

Status Damaged() {
  return DataLoss({.message = "the timeline of a round is damaged", .where = "the meta store"});
}

std::optional<LeaseSpan> NextLease(VarintReader& numbers, int shift, int32_t& unit) {
  const auto head = numbers.Next(int64_t{1} << (31 + kEndBits));
  const auto executor = numbers.Next(INT32_MAX);
  if (!head || !executor) return std::nullopt;
  const int64_t index = unit + (*head >> kEndBits);
  const int64_t end = *head & ((1 << kEndBits) - 1);
  if (index > INT32_MAX || end == 0 || end >= std::ssize(kEndNames)) return std::nullopt;
  unit = static_cast<int32_t>(index);
  std::array<int64_t, 7> us{};
  for (int64_t& time : us) {
    const auto ticks = numbers.Next(kMaxTicks);
    if (!ticks) return std::nullopt;
    time = *ticks << shift;
  }
  const auto& [leased, queued, other, computing, data_wait, state_wait, sending] = us;
  return LeaseSpan{.unit = unit,
                   .executor = static_cast<int32_t>(*executor),
                   .end = static_cast<LeaseEnd>(end),
                   .leased_us = leased,
                   .began_us = leased + queued,
                   .ended_us = leased + queued + other + computing + data_wait + state_wait,
                   .computing_us = computing,
                   .data_wait_us = data_wait,
                   .state_wait_us = state_wait,
                   .sending_us = sending};
}

}  // namespace

std::string_view LeaseEndName(LeaseEnd end) { return kEndNames[static_cast<size_t>(end)]; }

std::string EncodeTimeline(const RoundTimeline& round) {
  const int shift = ShiftOf(round);
  std::string bytes = {static_cast<char>(kVersion), static_cast<char>(shift)};
  for (size_t i = 0; i < kOpenedBytes; ++i)
    bytes.push_back(static_cast<char>(static_cast<uint64_t>(round.opened_unix_us) >> (8 * i)));
  const auto append = [&](int64_t us) {
    AppendVarint(bytes, std::min(us >> shift, kMaxTicks - 1));
  };
  append(round.length_us);
  int32_t unit = 0;
  for (const LeaseSpan& lease : round.leases) {
    AppendVarint(bytes, int64_t{lease.unit - unit} << kEndBits | static_cast<int64_t>(lease.end));
    AppendVarint(bytes, lease.executor);
    unit = lease.unit;
    append(lease.leased_us);
    append(lease.began_us - lease.leased_us);
    // Each share is rounded down, so the remainder is not negative.
    const int64_t shares = (lease.computing_us >> shift) + (lease.data_wait_us >> shift) +
                           (lease.state_wait_us >> shift);
    append((((lease.ended_us - lease.began_us) >> shift) - shares) << shift);
    append(lease.computing_us);
    append(lease.data_wait_us);
    append(lease.state_wait_us);
    append(lease.sending_us);
  }
  return bytes;
}

StatusOr<RoundTimeline> DecodeTimeline(std::string_view bytes) {
  constexpr size_t kHeadBytes = 2 + kOpenedBytes;
  if (bytes.size() <= kHeadBytes || static_cast<uint8_t>(bytes[0]) != kVersion ||
      static_cast<uint8_t>(bytes[1]) > kMaxShift)
    return Damaged();
  const int shift = bytes[1];
  RoundTimeline round;
  uint64_t opened = 0;
  for (size_t i = 0; i < kOpenedBytes; ++i)
    opened |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[2 + i])) << (8 * i);
  round.opened_unix_us = static_cast<int64_t>(opened);
  VarintReader numbers(bytes.substr(kHeadBytes));
  const auto length = numbers.Next(kMaxTicks);
  if (!length) return Damaged();
  round.length_us = *length << shift;
  int32_t unit = 0;
  while (numbers.left() > 0) {
    const std::optional<LeaseSpan> lease = NextLease(numbers, shift, unit);
    if (!lease) return Damaged();
    round.leases.push_back(*lease);
  }
  return round;
}

}  // namespace dl::storage
