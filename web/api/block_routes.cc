#include "web/api/block_routes.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "rpc/messages.h"

namespace dl::web {
namespace {

// Blocks of initial weights have this size. Other blocks are smaller, unless a single example of a
// dataset is larger.
constexpr int64_t kMaxBlock = limits::kWeightsBlockBytes;
constexpr size_t kMaxNames = 10'000;
constexpr int64_t kMaxNamesBody = int64_t{1} << 20;  // bytes
constexpr char kBlockSchema[] = R"({"type": "string", "format": "binary"})";
constexpr char kNamesSchema[] = R"({
  "type": "object",
  "required": ["sha256"],
  "additionalProperties": false,
  "properties": {
    "sha256": {"type": "array", "items": {"type": "string"}, "description": "names of blocks"}
  }
})";

StatusOr<HttpResponse> AnswerMissing(rpc::ClientService& master, const Call& call) {
  DL_ASSIGN_OR_RETURN(const Json json, ParseJson(call.request.body, "body"));
  JsonObjectReader reader(json, "");
  rpc::MissingBlocksRequest request;
  reader.Require("sha256");
  reader.StringList("sha256", request.sha256);
  DL_RETURN_IF_ERROR(reader.Finish());
  if (request.sha256.size() > kMaxNames) {
    return ResourceExhausted({.message = absl::StrCat(request.sha256.size(), " names, but at most ",
                                                      kMaxNames, " are possible"),
                              .where = "sha256",
                              .remedy = "Ask for fewer blocks at a time"});
  }
  DL_ASSIGN_OR_RETURN(const rpc::MissingBlocksReply reply,
                      master.MissingBlocks(request, limits::kBulkDeadline));
  return JsonResponse(JsonText({{"missing", reply.missing}}));
}

StatusOr<HttpResponse> AnswerPut(rpc::ClientService& master, const Call& call) {
  const std::string& name = call.Variable("sha256");
  const std::string& bytes = call.request.body;
  DL_RETURN_IF_ERROR(master.PutBlocks(
      {.sha256 = {name}, .sizes = {static_cast<int64_t>(bytes.size())}, .bytes = bytes},
      limits::kBulkDeadline));
  return JsonResponse(JsonText({{"sha256", name}, {"bytes", bytes.size()}}));
}

}  // namespace

std::vector<Route> BlockRoutes(rpc::ClientService& master) {
  return {{.method = "POST",
           .pattern = "/api/v1/blocks/missing",
           .rpc_method = "MissingBlocks",
           .about = "List the blocks that the master does not have, and keep the others for a job",
           .document = "MissingBlocks",
           .body_bytes = kMaxNamesBody,
           .body_schema = kNamesSchema,
           .long_body_remedy = "Ask for fewer blocks at a time",
           .body_copies = 3,
           .changes_answers = false,
           .answer = [&master](const Call& call) { return AnswerMissing(master, call); }},
          {.method = "PUT",
           .pattern = "/api/v1/blocks/{sha256}",
           .rpc_method = "PutBlocks",
           .about = "Store a block of a dataset under the SHA-256 of its bytes",
           .document = "StoredBlock",
           .body_bytes = kMaxBlock,
           .body_type = "application/octet-stream",
           .body_schema = kBlockSchema,
           .long_body_remedy = "Import data with examples of this size by dl-submit import",
           .body_copies = 2,
           .changes_answers = false,
           .answer = [&master](const Call& call) { return AnswerPut(master, call); }}};
}

}  // namespace dl::web
