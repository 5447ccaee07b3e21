#include "master/collection.h"

#include <optional>
#include <set>
#include <vector>

#include "master/core/record_keys.h"
#include "master/job_definition.h"
#include "master/stored.h"

namespace dl::master {
namespace {

// The job of a key "manifest/N/train".
std::string JobOf(std::string_view key) {
  key.remove_prefix(std::string_view(keys::kManifestPrefix).size());
  return std::string(key.substr(0, key.rfind('/')));
}

StatusOr<std::vector<std::string>> BlocksUnder(const std::string& key,
                                               const std::string& document) {
  return key.ends_with("/weights") ? BlocksOfWeights(document) : BlocksOf(document, "");
}

}  // namespace

Status EraseNamed(storage::MetaStore& meta, const std::set<std::string>& except,
                  std::set<std::string>& blocks) {
  return meta.Scan(keys::kManifestPrefix, [&](std::string_view key, std::string_view manifest) {
    if (blocks.empty() || except.contains(JobOf(key))) return absl::OkStatus();
    const auto named = BlocksUnder(std::string(key), std::string(manifest));
    if (!named.ok()) return WithContext(named.status(), std::string(key));
    for (const std::string& block : *named) blocks.erase(block);
    return absl::OkStatus();
  });
}

Status CollectDeleted(storage::MetaStore& meta, const DeleteBlocks& delete_blocks) {
  DL_ASSIGN_OR_RETURN(const std::set<std::string> deleted, NamesUnder(meta, keys::kDeletedPrefix));
  if (deleted.empty()) return absl::OkStatus();
  std::set<std::string> going;
  for (const std::string& job : deleted) {
    for (const std::string& key :
         {keys::TrainManifest(job), keys::TestManifest(job), keys::InitialWeights(job)}) {
      DL_ASSIGN_OR_RETURN(const std::optional<std::string> manifest, meta.Get(key));
      if (!manifest) continue;
      const auto named = BlocksUnder(key, *manifest);
      // A damaged manifest names nothing.
      if (named.ok()) going.insert(named->begin(), named->end());
    }
  }
  DL_RETURN_IF_ERROR(EraseNamed(meta, deleted, going));
  DL_RETURN_IF_ERROR(delete_blocks(std::vector<std::string>(going.begin(), going.end())));
  storage::MetaBatch done;
  for (const std::string& job : deleted) {
    done.DeletePrefix(keys::ManifestPrefix(job));
    done.Delete(keys::Deleted(job));
  }
  DL_RETURN_IF_ERROR(meta.Write(done));
  for (const std::string& job : deleted) {
    for (const std::string& prefix : {keys::LogPrefix(job), keys::ManifestPrefix(job)})
      DL_RETURN_IF_ERROR(meta.Reclaim(prefix));
  }
  return absl::OkStatus();
}

}  // namespace dl::master
