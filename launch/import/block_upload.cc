#include "launch/import/block_upload.h"

#include <cstring>
#include <unordered_set>

#include "base/limits.h"

namespace dl::launch {

Status BlockUpload::Put(const std::string& sha256, std::span<const std::byte> bytes) {
  if (!waiting_.bytes.empty() && waiting_.bytes.size() + bytes.size() > limits::kUploadBytes)
    DL_RETURN_IF_ERROR(Flush());
  waiting_.sha256.push_back(sha256);
  waiting_.sizes.push_back(static_cast<int64_t>(bytes.size()));
  waiting_.bytes.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return waiting_.sizes.size() < limits::kMaxPutBlocks ? absl::OkStatus() : Flush();
}

Status BlockUpload::Flush() {
  if (waiting_.sizes.empty()) return absl::OkStatus();
  DL_RETURN_IF_ERROR(go_on_());
  DL_RETURN_IF_ERROR(KeepMissing());
  DL_RETURN_IF_ERROR(go_on_());
  if (!waiting_.sizes.empty())
    DL_RETURN_IF_ERROR(client_.PutBlocks(waiting_, limits::kBulkDeadline));
  waiting_.sha256.clear();
  waiting_.sizes.clear();
  waiting_.bytes.clear();
  return absl::OkStatus();
}

Status BlockUpload::KeepMissing() {
  DL_ASSIGN_OR_RETURN(const rpc::MissingBlocksReply answer,
                      client_.MissingBlocks({.sha256 = waiting_.sha256}, limits::kBulkDeadline));
  std::unordered_set<std::string> missing(answer.missing.begin(), answer.missing.end());
  size_t kept = 0, from = 0, to = 0;
  for (size_t i = 0; i < waiting_.sizes.size(); ++i) {
    const int64_t size = waiting_.sizes[i];
    if (missing.erase(waiting_.sha256[i]) > 0) {  // each block only once
      if (to != from) std::memmove(waiting_.bytes.data() + to, waiting_.bytes.data() + from, size);
      to += size;
      waiting_.sizes[kept] = size;
      if (kept != i) waiting_.sha256[kept] = std::move(waiting_.sha256[i]);
      ++kept;
    }
    from += size;
  }
  waiting_.sha256.resize(kept);
  waiting_.sizes.resize(kept);
  waiting_.bytes.resize(to);
  return absl::OkStatus();
}

}  // namespace dl::launch
