// The bytes of event files: checksums, framing and messages.
#include <numeric>

#include "absl/strings/escaping.h"
#include "base/json.h"
#include "cli/tensorboard/event_messages.h"
#include "cli/tensorboard/protobuf_message.h"
#include "cli/tensorboard/record_framing.h"
#include "gtest/gtest.h"

namespace dl::cli {
namespace {

std::string HexOf(std::string_view bytes) {
  return absl::BytesToHexString(absl::string_view(bytes.data(), bytes.size()));
}

// RFC 3720, appendix B.4.
TEST(Crc32c, ChecksumsAreThoseOfRfc3720) {
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aa);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62a8ab43);
  std::string ascending(32, '\0');
  std::iota(ascending.begin(), ascending.end(), '\0');
  EXPECT_EQ(Crc32c(ascending), 0x46dd794e);
  EXPECT_EQ(Crc32c(std::string(ascending.rbegin(), ascending.rend())), 0x113fdb5c);
  const std::string read_command = absl::HexStringToBytes(
      "01c00000000000000000000000000000140000000000040000000014000000182800000000000000"
      "0200000000000000");
  EXPECT_EQ(Crc32c(read_command), 0xd9963a56);
  EXPECT_EQ(Crc32c(""), 0);
}

// The first bytes of every file that TensorFlow writes.
TEST(RecordFraming, HeadIsThatOfTensorFlow) {
  const std::string message = VersionEvent(1.5);
  ASSERT_EQ(HexOf(message), "09000000000000f83f1a0d627261696e2e4576656e743a32");
  const std::string record = FramedRecord(message);
  EXPECT_EQ(HexOf(record.substr(0, 12)), "1800000000000000a37f4b22");
  EXPECT_EQ(record.substr(12, message.size()), message);
  EXPECT_EQ(record.size(), message.size() + 16);
}

// Examples of protobuf.dev/programming-guides/encoding.
TEST(ProtobufMessage, FieldsAreEncodedByType) {
  EXPECT_EQ(HexOf(ProtobufMessage().Integer(1, 150).bytes()), "089601");
  EXPECT_EQ(HexOf(ProtobufMessage().Bytes(2, "testing").bytes()), "120774657374696e67");
  EXPECT_EQ(HexOf(ProtobufMessage().Message(3, ProtobufMessage().Integer(1, 150)).bytes()),
            "1a03089601");
  EXPECT_EQ(HexOf(ProtobufMessage().Integer(1, -2).bytes()), "08feffffffffffffffff01");
  EXPECT_EQ(HexOf(ProtobufMessage().Integer(16, 0).bytes()), "800100");
  EXPECT_EQ(HexOf(ProtobufMessage().Float(2, 1).Double(1, 1).bytes()),
            "150000803f09000000000000f03f");
  const std::string longer(300, 'a');
  EXPECT_EQ(ProtobufMessage().Bytes(1, longer).bytes(), "\x0a\xac\x02" + longer);
}

TEST(EventMessages, ScalarsOfRoundAreOneEvent) {
  EXPECT_EQ(HexOf(RoundEvent({.wall_time = 1, .step = 3}, {{"a", 1}, {"b", 2}}, {})),
            "09000000000000f03f"  // wall_time
            "1003"                // step
            "2a14"                // summary
            "0a08"
            "0a0161"
            "150000803f"  // value: tag, simple_value
            "0a08"
            "0a0162"
            "1500000040");
}

}  // namespace
}  // namespace dl::cli
