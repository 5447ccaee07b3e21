// Records of a TFRecord file: the framing around each message of a TensorBoard event file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dl::cli {

// Returns the CRC-32C of the bytes (RFC 3720, B.4), with initial value and final XOR 0xffffffff.
uint32_t Crc32c(std::string_view bytes);

// Returns a record: the length of the message (8 bytes), the masked CRC-32C of these 8 bytes, the
// message, and its masked CRC-32C. All numbers are little-endian. The mask of a checksum C is
// rotate_right(C, 15) + 0xa282ead8 (tensorflow/core/lib/hash/crc32c.h).
std::string FramedRecord(std::string_view message);

}  // namespace dl::cli
