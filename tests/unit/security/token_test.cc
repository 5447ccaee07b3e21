#include "security/token.h"

#include <algorithm>
#include <string>

#include "base/limits.h"
#include "tests/support/status_matchers.h"

namespace dl::security {
namespace {

using test::IsError;

constexpr char kId[] = "0123456789abcdef";
const std::string kTokensSecret(43, 'S');
const std::string kCa(43, 'C');

Token Parsed(const std::string& text) {
  const auto token = ParseToken(text);
  EXPECT_THAT(token, test::IsOk());
  return token.ok() ? *token : Token{};
}

bool IsHexId(const std::string& id) {
  return id.size() == 16 && id.find_first_not_of("0123456789abcdef") == std::string::npos;
}

TEST(Token, RoundTrips) {
  for (const std::string& ca : {kCa, std::string()}) {
    const auto made = MakeToken(ca);
    DL_ASSERT_OK(made);
    EXPECT_TRUE(IsHexId(made->id)) << made->id;
    EXPECT_EQ(made->secret.size(), 43u);
    const Token read = Parsed(ToString(*made));
    EXPECT_EQ(read.id, made->id);
    EXPECT_EQ(read.secret, made->secret);
    EXPECT_EQ(read.ca, ca);
  }
}

TEST(Token, HasDocumentedForm) {
  const Token token{.id = kId, .secret = kTokensSecret, .ca = kCa};
  EXPECT_EQ(ToString(token), std::string("dl1.") + kId + "." + kTokensSecret + "." + kCa);
  EXPECT_EQ(ToString({.id = kId, .secret = kTokensSecret}),
            std::string("dl1.") + kId + "." + kTokensSecret);
  EXPECT_EQ(token.credential(), std::string(kId) + "." + kTokensSecret);
  EXPECT_LE(static_cast<int64_t>(token.credential().size()), limits::kMaxCredential);
  EXPECT_LE(static_cast<int64_t>(ToString(token).size()), limits::kMaxTokenFileBytes);
}

TEST(Token, TokensAreUnique) {
  const auto one = MakeToken(kCa), other = MakeToken(kCa);
  DL_ASSERT_OK(one);
  DL_ASSERT_OK(other);
  EXPECT_NE(one->id, other->id);
  EXPECT_NE(one->secret, other->secret);
  // A random secret does not consist of one repeated character.
  EXPECT_FALSE(std::ranges::all_of(one->secret, [&](char c) { return c == one->secret[0]; }));
}

TEST(Token, WhiteSpaceAroundItIsLeftOut) {
  const std::string text = ToString({.id = kId, .secret = kTokensSecret, .ca = kCa});
  for (const std::string& around : {" " + text, text + "\n", "\t" + text + " \r\n", text + "\n\n"})
    EXPECT_EQ(Parsed(around).secret, kTokensSecret);
  EXPECT_EQ(Parsed(text).ca, kCa);
}

TEST(Token, SecretAcceptsEveryBase64Character) {
  const std::string all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  for (const std::string& secret : {all.substr(0, 43), all.substr(all.size() - 43)})
    EXPECT_EQ(Parsed(std::string("dl1.") + kId + "." + secret).secret, secret);
}

TEST(Token, InvalidTextIsRefusedAndNotShown) {
  const std::string id = kId, dot = ".";
  const std::string whole = "dl1." + id + dot + kTokensSecret + dot + kCa;
  const std::string wrong[] = {
      "",
      ".",
      "...",
      "dl1",
      "dl1." + id,
      "dl1." + id + dot,
      "dl2." + id + dot + kTokensSecret,
      "DL1." + id + dot + kTokensSecret,
      id + dot + kTokensSecret,
      "dl1." + id.substr(1) + dot + kTokensSecret,
      "dl1.0" + id + dot + kTokensSecret,
      "dl1.0123456789abcdeF." + kTokensSecret,
      "dl1.0123456789abcdeg." + kTokensSecret,
      "dl1." + id + dot + kTokensSecret.substr(1),
      "dl1." + id + dot + kTokensSecret + "S",
      "dl1." + id + dot + kTokensSecret.substr(1) + "+",
      "dl1." + id + dot + kTokensSecret.substr(1) + "=",
      "dl1." + id + dot + kTokensSecret.substr(1) + std::string(1, '\0'),
      "dl1." + id + dot + kTokensSecret + dot,
      "dl1." + id + dot + kTokensSecret + dot + kCa.substr(1),
      whole + ".",
      whole + "." + kCa,
      whole + " " + whole,
      "dl1." + id + ". " + kTokensSecret,
      std::string(1 << 20, '.'),
      whole + std::string(1 << 20, 'C'),
  };
  for (const std::string& text : wrong) {
    const Status refused = ParseToken(text).status();
    EXPECT_THAT(refused, IsError(absl::StatusCode::kInvalidArgument, "cluster token create"))
        << text.substr(0, 200);
    EXPECT_EQ(DescribeError(refused).find("SSSSS"), std::string::npos) << text.substr(0, 200);
    EXPECT_EQ(DescribeError(refused).find(id), std::string::npos) << text.substr(0, 200);
  }
}

TEST(Credential, IsSplitIntoParts) {
  const Credential credential = ParseCredential(std::string(kId) + "." + kTokensSecret);
  EXPECT_EQ(credential.id, kId);
  EXPECT_EQ(credential.secret, kTokensSecret);
}

TEST(Credential, InvalidTextIsEmpty) {
  const std::string id = kId;
  for (const std::string& text :
       {std::string(), std::string("."), id, id + ".", "." + kTokensSecret, id + kTokensSecret,
        id + "." + kTokensSecret + ".", id + "." + kTokensSecret + "." + kCa,
        "dl1." + id + "." + kTokensSecret, id.substr(1) + "." + kTokensSecret,
        id + "." + kTokensSecret.substr(1), id + ".." + kTokensSecret,
        " " + id + "." + kTokensSecret, id + "." + kTokensSecret + "\n",
        std::string(1 << 20, 'x')}) {
    const Credential none = ParseCredential(text);
    EXPECT_EQ(none.id, "") << text.substr(0, 200);
    EXPECT_EQ(none.secret, "") << text.substr(0, 200);
  }
}

// The example of FIPS 180-2. Stored hashes must stay readable in all later versions.
TEST(HashOfSecret, IsSha256InHex) {
  EXPECT_EQ(HashOfSecret("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_NE(HashOfSecret(kTokensSecret), HashOfSecret(kCa));
}

}  // namespace
}  // namespace dl::security
