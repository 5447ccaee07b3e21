#include "tests/sim/disk.h"

#include "absl/strings/str_cat.h"
#include "storage/key_number.h"

namespace dl::sim {

Disk::Disk(uint64_t seed) : random_({.seed = seed, .a = 20}) {
  auto store = security::TokenStore::Open("");
  DL_CHECK(store.ok());
  tokens = *std::move(store);
  bulk.FailWrites([this] { return CheckSpace(); });
}

Status Disk::CheckSpace() {
  if (checkpoint_failure > 0 && random_.NextDouble() < checkpoint_failure)
    return ResourceExhausted({.message = "too little free space (planted)"});
  return absl::OkStatus();
}

security::Identity Disk::Introduce(const security::TokenStore::NewToken& wanted) {
  const auto token = tokens->Create(wanted);
  DL_CHECK(token.ok());
  return *tokens->Authenticate(token->credential());
}

// Keys have the format of storage/checkpoint_store.cc: "c", job, zero byte, round.
std::string Disk::CheckpointOf(const std::string& smallest_key) {
  const size_t zero = smallest_key.find('\0');
  uint64_t round = 0;
  for (size_t i = 0; i < storage::kNumberBytes; ++i)
    round = round << 8 | static_cast<unsigned char>(smallest_key.at(zero + 1 + i));
  return absl::StrCat(smallest_key.substr(1, zero - 1), "@", round);
}

}  // namespace dl::sim
