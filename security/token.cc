#include "security/token.h"

#include <openssl/crypto.h>

#include <array>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/checksum.h"
#include "base/lower_hex.h"
#include "base/unique.h"

namespace dl::security {
namespace {

constexpr std::string_view kVersion = "dl1";
constexpr size_t kIdDigits = 16;
constexpr size_t kSecretCharacters = 43;  // 32 bytes in base64url, without padding

bool IsBase64(std::string_view text) {
  constexpr std::string_view kCharacters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return text.size() == kSecretCharacters &&
         text.find_first_not_of(kCharacters) == std::string_view::npos;
}

Status NoToken() {
  return InvalidArgument(
      {.message = "this is not a token of Paravane",
       .remedy = "Use the line that dl-submit cluster token create printed, unchanged"});
}

}  // namespace

StatusOr<Token> MakeToken(const std::string& ca) {
  DL_ASSIGN_OR_RETURN(const uint64_t number, UniqueNumber());
  DL_ASSIGN_OR_RETURN(const SecretBytes bytes, MakeSecretBytes());
  const std::string raw(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return Token{.id = HexU64(number), .secret = absl::WebSafeBase64Escape(raw), .ca = ca};
}

StatusOr<Token> ParseToken(std::string_view text) {
  const std::vector<std::string> parts =
      absl::StrSplit(absl::StripAsciiWhitespace(std::string(text)), '.');
  if (parts.size() < 3 || parts.size() > 4 || parts[0] != kVersion || !IsTokenId(parts[1]) ||
      !IsBase64(parts[2]) || (parts.size() == 4 && !IsBase64(parts[3]))) {
    return NoToken();
  }
  return Token{.id = std::string(parts[1]),
               .secret = std::string(parts[2]),
               .ca = parts.size() == 4 ? std::string(parts[3]) : ""};
}

std::string ToString(const Token& token) {
  return absl::StrCat(std::string(kVersion), ".", token.credential(), token.ca.empty() ? "" : ".",
                      token.ca);
}

Credential ParseCredential(std::string_view text) {
  const size_t dot = text.find('.');
  if (dot == std::string_view::npos) return {};
  Credential credential{std::string(text.substr(0, dot)), std::string(text.substr(dot + 1))};
  if (!IsTokenId(credential.id) || !IsBase64(credential.secret)) return {};
  return credential;
}

bool IsTokenId(std::string_view text) { return IsLowerHex(text, kIdDigits); }

bool IsSameSecret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string HashOfSecret(std::string_view secret) { return Sha256Hex(secret); }

}  // namespace dl::security
