// Uploaded blocks that no job is known to name, and the tokens that are charged for them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace dl::master {

// The limits keep the list of these blocks below about 200 MiB of memory. Not thread-safe.
class UnnamedBlocks {
 public:
  // A block is charged its size, but at least `least_charge`.
  struct Bounds {
    int64_t bytes = int64_t{1} << 40;  // of all tokens
    int64_t bytes_of_token = int64_t{768} << 30;
    int64_t least_charge = 1 << 20;
  };
  struct Block {
    std::string_view name;
    int64_t bytes = 0;
  };

  explicit UnnamedBlocks(const Bounds& bounds) : bounds_(bounds) {}

  // Adds those of `blocks` that are not listed and charges them to `token`, the id of a token or
  // the owner of a certificate. Renews the times of the others. Returns ResourceExhausted, without
  // a change, if a limit is exceeded.
  Status Add(std::span<const Block> blocks, const std::string& token, int64_t unix_ms);
  // Adds or renews a block from its stored note (NoteText), whatever the limits are.
  void Restore(std::string_view name, std::string_view note);
  // Sets the time of a block, unless it has a later one: a clock that is wrong for a moment must
  // not make a block old. Returns false if the block is not listed.
  bool Renew(std::string_view name, int64_t unix_ms);
  // Removes a block and its charge. Returns false if the block is not listed.
  bool Erase(std::string_view name);

  bool Contains(std::string_view name) const { return entries_.contains(name); }
  // Returns the wall-clock time in milliseconds of the block's last upload or query; nullopt if it
  // is not listed.
  std::optional<int64_t> TimeOf(std::string_view name) const;
  // Returns the text that is stored for the block: time, charge and token. Earlier versions stored
  // only the time. REQUIRES: the block is listed.
  std::string NoteText(std::string_view name) const;

  // Calls `visit(name, unix_ms)` with each block and its TimeOf(). `visit` must not change this
  // object.
  template <typename Visitor>
  void ForEach(const Visitor& visit) const {
    for (const auto& [name, entry] : entries_) visit(name, entry.unix_ms);
  }

 private:
  using Charges = std::map<std::string, int64_t, std::less<>>;
  struct Entry {
    int64_t unix_ms = 0;
    int64_t charge = 0;
    Charges::iterator token;
  };

  void Insert(std::string_view name, int64_t charge, const std::string& token, int64_t unix_ms);

  const Bounds bounds_;
  Charges charges_;  // bytes that each token is charged; without tokens that are charged nothing
  int64_t charged_ = 0;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace dl::master
