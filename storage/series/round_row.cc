#include "storage/series/round_row.h"

#include <bit>

#include "storage/series/series_records.h"

namespace dl::storage {
namespace {

// The highest bit of the round marks an addition.
constexpr size_t kRoundBytes = 8, kSeriesBytes = 2, kValueBytes = 4;
constexpr uint64_t kAddition = uint64_t{1} << 63;

void Append(std::string& bytes, uint64_t number, size_t size) {
  for (size_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>(number >> (8 * i)));
}

// Removes a number of `size` bytes from the front.
uint64_t Take(std::string_view& bytes, size_t size) {
  uint64_t number = 0;
  for (size_t i = 0; i < size; ++i)
    number |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[i])) << (8 * i);
  bytes.remove_prefix(size);
  return number;
}

}  // namespace

std::string EncodeRow(const RoundRow& row) {
  std::string bytes;
  bytes.reserve(kRoundBytes + row.values.size() * (kSeriesBytes + kValueBytes));
  Append(bytes, static_cast<uint64_t>(row.round) | (row.is_addition ? kAddition : 0), kRoundBytes);
  for (const RoundRow::Value& value : row.values) {
    Append(bytes, static_cast<uint64_t>(value.series), kSeriesBytes);
    Append(bytes, std::bit_cast<uint32_t>(value.value), kValueBytes);
  }
  return bytes;
}

StatusOr<RoundRow> DecodeRow(std::string_view bytes) {
  const Status damaged =
      DataLoss({.message = "the values of a round are damaged", .where = "the meta store"});
  if (bytes.size() < kRoundBytes ||
      (bytes.size() - kRoundBytes) % (kSeriesBytes + kValueBytes) != 0)
    return damaged;
  RoundRow row;
  const uint64_t round = Take(bytes, kRoundBytes);
  row.round = static_cast<int64_t>(round & ~kAddition);
  row.is_addition = (round & kAddition) != 0;
  int32_t before = -1;
  while (!bytes.empty()) {
    RoundRow::Value& value = row.values.emplace_back();
    value.series = static_cast<int32_t>(Take(bytes, kSeriesBytes));
    value.value = std::bit_cast<float>(static_cast<uint32_t>(Take(bytes, kValueBytes)));
    if (value.series <= before || value.series >= kMaxSeries) return damaged;
    before = value.series;
  }
  if (row.round < 1) return damaged;
  return row;
}

}  // namespace dl::storage
