#include "base/checksum.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <xxhash.h>

#include "base/status.h"

namespace dl {
namespace {

std::string Hex(std::span<const std::byte> bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const std::byte byte : bytes) {
    out.push_back(kDigits[std::to_integer<int>(byte >> 4)]);
    out.push_back(kDigits[std::to_integer<int>(byte & std::byte{15})]);
  }
  return out;
}

}  // namespace

uint64_t Xxh3(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

uint64_t Xxh3(std::span<const std::span<const std::byte>> pieces) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       &XXH3_freeState);
  DL_CHECK(state != nullptr && XXH3_64bits_reset(state.get()) == XXH_OK);
  for (const std::span<const std::byte> piece : pieces)
    DL_CHECK(XXH3_64bits_update(state.get(), piece.data(), piece.size()) == XXH_OK);
  return XXH3_64bits_digest(state.get());
}

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  DL_CHECK(EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) == 1);
}
Sha256::~Sha256() = default;

void Sha256::Update(std::span<const std::byte> bytes) {
  DL_CHECK(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1);
}

Sha256::Digest Sha256::Finish() {
  Digest digest;
  DL_CHECK(EVP_DigestFinal_ex(state_->context, reinterpret_cast<unsigned char*>(digest.data()),
                              nullptr) == 1);
  return digest;
}

std::string Sha256::HexDigest() { return Hex(Finish()); }

std::string Sha256Hex(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.Update(bytes);
  return hash.HexDigest();
}

Sha256::Digest HmacSha256(std::span<const std::byte> key, std::string_view text) {
  Sha256::Digest digest;
  unsigned int size = 0;
  DL_CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                reinterpret_cast<unsigned char*>(digest.data()), &size) != nullptr);
  DL_CHECK(size == digest.size());
  return digest;
}

std::string HexU64(uint64_t value) {
  std::byte bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(value >> (56 - 8 * i));
  return Hex(bytes);
}

}  // namespace dl
