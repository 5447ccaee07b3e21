#include "master/gateway/documents.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "master/core/job/job.h"
#include "master/core/record_keys.h"
#include "master/core/records/job_record.h"
#include "master/stored.h"
#include "rpc/remedy.h"

namespace dl::master {

StatusOr<std::string> Document(storage::MetaStore& meta, const std::string& key,
                               std::string_view what) {
  DL_ASSIGN_OR_RETURN(std::optional<std::string> text, meta.Get(key));
  if (!text) {
    return rpc::AttachRemedy(
        NotFound({.message = absl::StrCat("there is no ", std::string(what), " of this job"),
                  .where = key.substr(key.find('/') + 1)}),
        {.kind = rpc::RemedyKind::kListJobs});
  }
  return *std::move(text);
}

StatusOr<rpc::FetchJobReply> DocumentsOf(storage::MetaStore& meta, const std::string& job) {
  rpc::FetchJobReply reply;
  DL_ASSIGN_OR_RETURN(reply.spec, Document(meta, keys::Spec(job), "spec"));
  DL_ASSIGN_OR_RETURN(reply.train_manifest,
                      Document(meta, keys::TrainManifest(job), "training manifest"));
  DL_ASSIGN_OR_RETURN(std::optional<std::string> test, meta.Get(keys::TestManifest(job)));
  reply.test_manifest = test.value_or("");
  DL_ASSIGN_OR_RETURN(std::string text, Document(meta, keys::Job(job), "record"));
  DL_ASSIGN_OR_RETURN(Json json, ParseStored(text, keys::Job(job)));
  DL_ASSIGN_OR_RETURN(JobRecord record, JobRecordFromJson(json, job));
  reply.contract = record.contract;
  return reply;
}

StatusOr<rpc::QueryReply> LogPage(storage::MetaStore& meta, const rpc::QueryRequest& request,
                                  int64_t page_bytes) {
  if (request.first < 0)
    return InvalidArgument({.message = "the number of a round log record must be at least 0"});
  // Records are stored as JSON, so their texts are copied without parsing.
  rpc::QueryReply page{.json = "["};
  for (int64_t index = request.first;; ++index) {
    DL_ASSIGN_OR_RETURN(const std::optional<std::string> record,
                        meta.Get(keys::LogRecord(request.job, index)));
    if (!record) break;
    if (index > request.first) {
      const auto bytes = static_cast<int64_t>(page.json.size() + record->size() + 2);
      if (bytes > page_bytes) {
        page.next_first = index;
        break;
      }
      page.json += ',';
    }
    page.json += *record;
  }
  page.json += ']';
  return page;
}

}  // namespace dl::master
