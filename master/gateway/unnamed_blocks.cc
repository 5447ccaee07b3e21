#include "master/gateway/unnamed_blocks.h"

#include <algorithm>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace dl::master {
namespace {

Status TooMuch(const std::string& whose, int64_t limit, int64_t least_charge) {
  return ResourceExhausted(
      {.message =
           absl::StrCat("the uploaded blocks of ", whose, " that no job names reach ", limit >> 30,
                        " GiB, which is their limit (a block counts as at "
                        "least ",
                        least_charge >> 10, " KiB)"),
       .where = "sha256",
       .remedy = "Submit the jobs that use them, or wait: the master deletes blocks that no job "
                 "names after --keep-uploads"});
}

// Takes the next word of a note.
std::string_view TakeWord(std::string_view& note) {
  const size_t end = std::min(note.find(' '), note.size());
  const std::string_view word = note.substr(0, end);
  note.remove_prefix(std::min(end + 1, note.size()));
  return word;
}

// Returns `otherwise` for a damaged number.
int64_t NumberOr(std::string_view text, int64_t otherwise) {
  int64_t number = 0;
  return absl::SimpleAtoi(absl::string_view(text.data(), text.size()), &number) ? number
                                                                                : otherwise;
}

}  // namespace

Status UnnamedBlocks::Add(std::span<const Block> blocks, const std::string& token,
                          int64_t unix_ms) {
  int64_t more = 0;
  std::set<std::string_view> added;
  for (const Block& block : blocks) {
    if (!Contains(block.name) && added.insert(block.name).second)
      more += std::max(block.bytes, bounds_.least_charge);
  }
  if (more > 0) {
    const auto held = charges_.find(token);
    const int64_t of_token = held == charges_.end() ? 0 : held->second;
    if (of_token + more > bounds_.bytes_of_token)
      return TooMuch("this token", bounds_.bytes_of_token, bounds_.least_charge);
    if (charged_ + more > bounds_.bytes)
      return TooMuch("all tokens", bounds_.bytes, bounds_.least_charge);
  }
  for (const Block& block : blocks) {
    if (!Renew(block.name, unix_ms))
      Insert(block.name, std::max(block.bytes, bounds_.least_charge), token, unix_ms);
  }
  return absl::OkStatus();
}

void UnnamedBlocks::Restore(std::string_view name, std::string_view note) {
  // A damaged time is treated as old: the block is deleted unless a manifest names it.
  const int64_t unix_ms = NumberOr(TakeWord(note), 0);
  const int64_t charge = std::max(NumberOr(TakeWord(note), 0), bounds_.least_charge);
  if (!Renew(name, unix_ms)) Insert(name, charge, std::string(note), unix_ms);
}

bool UnnamedBlocks::Renew(std::string_view name, int64_t unix_ms) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return false;
  found->second.unix_ms = std::max(found->second.unix_ms, unix_ms);
  return true;
}

bool UnnamedBlocks::Erase(std::string_view name) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return false;
  const Entry& entry = found->second;
  charged_ -= entry.charge;
  entry.token->second -= entry.charge;
  if (entry.token->second == 0) charges_.erase(entry.token);
  entries_.erase(found);
  return true;
}

std::optional<int64_t> UnnamedBlocks::TimeOf(std::string_view name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? std::nullopt : std::optional(found->second.unix_ms);
}

std::string UnnamedBlocks::NoteText(std::string_view name) const {
  const Entry& entry = entries_.find(name)->second;
  return absl::StrCat(entry.unix_ms, " ", entry.charge, " ", entry.token->first);
}

void UnnamedBlocks::Insert(std::string_view name, int64_t charge, const std::string& token,
                           int64_t unix_ms) {
  const auto payer = charges_.try_emplace(token, 0).first;
  payer->second += charge;
  charged_ += charge;
  entries_.try_emplace(std::string(name),
                       Entry{.unix_ms = unix_ms, .charge = charge, .token = payer});
}

}  // namespace dl::master
