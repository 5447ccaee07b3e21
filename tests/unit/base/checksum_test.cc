#include "base/checksum.h"

#include "gtest/gtest.h"

namespace dl {
namespace {

TEST(Checksum, Sha256KnownAnswers) {  // FIPS 180-2, appendix B
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Checksum, PiecesEqualTheWhole) {
  Sha256 hash;
  hash.Update("a");
  hash.Update("bc");
  EXPECT_EQ(hash.HexDigest(), Sha256Hex("abc"));
  Sha256 numbers;
  numbers.UpdateU32(0x64636261);
  numbers.UpdateU64(0x6c6b6a6968676665);
  EXPECT_EQ(numbers.HexDigest(), Sha256Hex("abcdefghijkl")) << "numbers are little-endian";
}

TEST(Checksum, Xxh3KnownAnswers) {  // seed 0, as xxhsum -H3 prints them
  EXPECT_EQ(Xxh3(""), 0x2d06800538d394c2u);
  EXPECT_EQ(HexU64(Xxh3("abc")), "78af5f94892f3950");
  EXPECT_EQ(HexU64(0x0123456789abcdef), "0123456789abcdef");
}

}  // namespace
}  // namespace dl
