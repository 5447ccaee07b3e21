#include "tests/sim/record_rules.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "master/core/job/job.h"
#include "master/core/record_keys.h"
#include "master/core/records/checkpoint_record.h"
#include "master/core/records/record_check.h"
#include "master/core/records/report_record.h"
#include "master/history.h"
#include "storage/checkpoint_manifest.h"

namespace dl::sim {
namespace {

using Reader = std::function<Status(const std::string& text, const std::string& key)>;

template <typename Parse>
Reader Document(Parse parse) {
  return [parse](const std::string& text, const std::string& key) -> Status {
    DL_ASSIGN_OR_RETURN(const Json json, ParseJson(text, key));
    return parse(json, key).status();
  };
}

Status Number(const std::string& text, const std::string& key) {
  uint64_t number = 0;
  if (absl::SimpleAtoi(text, &number)) return absl::OkStatus();
  return DataLoss({.message = absl::StrCat("\"", text, "\" is not a number"), .where = key});
}

// The record itself is checked by CheckReadable.
Status ManifestOfCheckpoint(const std::string& text, const std::string& key) {
  DL_ASSIGN_OR_RETURN(const master::CheckpointInfo info,
                      master::CheckpointInfoFromJson(Json::parse(text), key));
  DL_ASSIGN_OR_RETURN(const Json json, ParseJson(info.manifest, key));
  DL_ASSIGN_OR_RETURN(const storage::CheckpointManifest manifest,
                      storage::CheckpointManifestFromJson(json, key));
  if (ToJson(manifest) == json) return absl::OkStatus();
  return DataLoss({.message = "what is read is written otherwise", .where = key});
}

Status Anything(const std::string&, const std::string&) { return absl::OkStatus(); }

struct Kind {
  std::string_view prefix;
  Reader reader;
};

// Documents of clients and keys without a value are not read. master::CheckReadable reads the
// records of jobs.
const std::vector<Kind>& Kinds() {
  static const auto& kinds = *new std::vector<Kind>{
      {"master/", Number},
      {"job/", Anything},
      {"log/", Anything},
      {"head/", Anything},
      {"checkpoint/", ManifestOfCheckpoint},
      {"due/", Anything},
      {"told/", Anything},
      {"series/", Anything},
      {"timeline/", Anything},
      {"unverified/", Anything},
      {"source/", Anything},
      {"leaving/", Number},
      {"ended/", Document(master::EndedReportFromJson)},
      {"event/",
       Document([](const Json& json, const std::string&) { return StatusOr<Json>(json); })},
      {"round_event/",
       Document([](const Json& json, const std::string&) { return StatusOr<Json>(json); })},
      {"number/", Anything},
      {"request/", Anything},
      {"quarantine/", Anything},
      {"known/", Anything},
      {"spec/", Anything},
      {"manifest/", Anything},
      {"deleted/", Anything},
      {"uploaded/", Anything},
  };
  return kinds;
}

}  // namespace

void RecordRules::Check(const storage::MetaBatch& batch) const {
  if (const Status readable = master::CheckReadable(batch); !readable.ok())
    return audit_.breach(DescribeError(readable));
  for (const storage::MetaBatch::Change& change : batch.changes()) {
    if (!change.value) continue;
    const auto kind = std::ranges::find_if(
        Kinds(), [&](const Kind& one) { return change.key.starts_with(one.prefix); });
    if (kind == Kinds().end())
      return audit_.breach(absl::StrCat("a record of an unknown kind is written: ", change.key));
    if (const Status read = kind->reader(*change.value, change.key); !read.ok())
      return audit_.breach(
          absl::StrCat("a record cannot be read: ", change.key, ": ", DescribeError(read)));
  }
}

}  // namespace dl::sim
