#include "cli/tensorboard/record_framing.h"

#include <array>
#include <bit>

#include "cli/tensorboard/number_bytes.h"

namespace dl::cli {
namespace {

// Remainders of all bytes. The polynomial 0x1edc6f41 has its bits reversed.
constexpr std::array<uint32_t, 256> MakeRemainders() {
  constexpr uint32_t kPolynomial = 0x82f63b78;
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < table.size(); ++byte) {
    uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? kPolynomial : 0);
    table[byte] = rest;
  }
  return table;
}
constexpr std::array<uint32_t, 256> kRemainders = MakeRemainders();

uint32_t MaskedCrc(std::string_view bytes) { return std::rotr(Crc32c(bytes), 15) + 0xa282ead8; }

}  // namespace

uint32_t Crc32c(std::string_view bytes) {
  uint32_t crc = 0xffffffff;
  for (const char byte : bytes)
    crc = (crc >> 8) ^ kRemainders[(crc ^ static_cast<unsigned char>(byte)) & 0xff];
  return crc ^ 0xffffffff;
}

std::string FramedRecord(std::string_view message) {
  std::string record;
  record.reserve(message.size() + 16);
  AppendBytes(uint64_t{message.size()}, record);
  AppendBytes(MaskedCrc(record), record);
  record += message;
  AppendBytes(MaskedCrc(message), record);
  return record;
}

}  // namespace dl::cli
