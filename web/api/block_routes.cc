#include "web/api/block_routes.h"

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "rpc/messages.h"

namespace dl::web {
namespace {

// Blocks of initial weights have this size. Other blocks are smaller, unless a single example of a
// dataset is larger. The bodies of larger blocks do not fit into the share of a client.
constexpr int64_t kOrdinaryBlock = limits::kWeightsBlockBytes;
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

StatusOr<std::string> Put(rpc::ClientService& master, const std::string& name, std::string bytes,
                          const security::Identity& caller) {
  const auto size = static_cast<int64_t>(bytes.size());
  DL_RETURN_IF_ERROR(
      master.PutBlocks({.sha256 = {name}, .sizes = {size}, .bytes = std::move(bytes), .by = caller},
                       limits::kBulkDeadline));
  return JsonText({{"sha256", name}, {"bytes", size}});
}

// Collects a block that is larger than kOrdinaryBlock. Its memory is not that of HeldMemory, so a
// server has one at a time.
class LargeBlock final : public BodySink {
 public:
  LargeBlock(rpc::ClientService& master, const Call& call, int64_t length,
             std::shared_ptr<std::atomic_flag> turn)
      : master_(master),
        name_(call.Variable("sha256")),
        caller_(call.caller),
        length_(length),
        turn_(std::move(turn)) {}
  ~LargeBlock() override {
    bytes_ = std::string();
    turn_->clear();
  }
  Status Write(std::string_view piece) override {
    if (bytes_.empty()) bytes_.reserve(static_cast<size_t>(length_));
    bytes_ += piece;
    return absl::OkStatus();
  }
  StatusOr<std::string> Finish() override {
    return Put(master_, name_, std::move(bytes_), caller_);
  }

 private:
  rpc::ClientService& master_;
  const std::string name_;
  const security::Identity caller_;
  const int64_t length_;
  const std::shared_ptr<std::atomic_flag> turn_;  // set while a server has a large block
  std::string bytes_;
};

StatusOr<std::shared_ptr<BodySink>> ReceiveBlock(rpc::ClientService& master,
                                                 const std::shared_ptr<std::atomic_flag>& turn,
                                                 const Call& call, int64_t length) {
  if (length <= kOrdinaryBlock) return nullptr;
  if (turn->test_and_set()) {
    return ResourceExhausted({.message = absl::StrCat("another client sends a block of more than ",
                                                      kOrdinaryBlock >> 20, " MiB"),
                              .remedy = "Try again in a second"});
  }
  return std::make_shared<LargeBlock>(master, call, length, turn);
}

StatusOr<HttpResponse> AnswerPut(rpc::ClientService& master, const Call& call) {
  if (call.request.sink != nullptr) {
    DL_ASSIGN_OR_RETURN(std::string stored, call.request.sink->Finish());
    return JsonResponse(std::move(stored));
  }
  DL_ASSIGN_OR_RETURN(std::string stored,
                      Put(master, call.Variable("sha256"), call.request.body, call.caller));
  return JsonResponse(std::move(stored));
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
           .body_bytes = limits::kMaxBlockBytes,
           .body_type = "application/octet-stream",
           .body_schema = kBlockSchema,
           .long_body_remedy = "Import data with examples of this size by dl-submit import",
           .body_copies = 2,
           .receive = [&master, turn = std::make_shared<std::atomic_flag>()](
                          const Call& call,
                          int64_t length) { return ReceiveBlock(master, turn, call, length); },
           .changes_answers = false,
           .answer = [&master](const Call& call) { return AnswerPut(master, call); }}};
}

}  // namespace dl::web
