#include "inference/serving/example_samples.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "dataset/decoded_block_cache.h"
#include "dataset/manifest.h"
#include "inference/client_blocks.h"
#include "inference/serving/example_json.h"
#include "rpc/messages.h"

namespace dl::inference {
namespace {

using dataset::Block;
using dataset::Manifest;

StatusOr<Manifest> ManifestOf(rpc::ClientService& client, const std::string& job,
                              const std::string& set) {
  if (set != "train" && set != "test") {
    return InvalidArgument({.message = absl::StrCat("there is no set \"", set, "\""),
                            .where = "set",
                            .remedy = "Use train or test"});
  }
  const rpc::QueryKind kind =
      set == "train" ? rpc::QueryKind::kTrainManifest : rpc::QueryKind::kTestManifest;
  DL_ASSIGN_OR_RETURN(const rpc::QueryReply reply,
                      client.Query({.what = kind, .job = job}, limits::kControlDeadline));
  return dataset::ManifestFromJson(reply.json, "manifest");
}

// Calls visit(block, index in the block, index in the set) for `count` examples from `first` on, or
// fewer at the end of the set. Returns InvalidArgument if the set has no example `first`.
template <typename Visit>
Status VisitExamples(rpc::ClientService& client, const Manifest& manifest, int64_t first,
                     int64_t count, const Visit& visit) {
  if (first < 0 || first >= manifest.examples) {
    return InvalidArgument({.message = absl::StrCat("the set has ", manifest.examples,
                                                    " examples, so there is no example ", first),
                            .where = "first"});
  }
  const int64_t end = first + std::min(count, manifest.examples - first);
  ClientBlocks source(client);
  dataset::DecodedBlockCache blocks(source, /*max_bytes=*/0);
  int64_t begin = 0;  // index of the first example of the block
  for (const dataset::BlockInfo& info : manifest.blocks) {
    if (begin >= end) break;
    if (begin + info.examples > first) {
      DL_ASSIGN_OR_RETURN(const std::shared_ptr<const Block> block,
                          blocks.Get(info, manifest.schema));
      for (int64_t i = std::max(first, begin); i < std::min(end, begin + info.examples); ++i)
        visit(*block, static_cast<size_t>(i - begin), i);
    }
    begin += info.examples;
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::string> ExampleSamples(rpc::ClientService& client,
                                     const web::SampleRequest& request) {
  DL_ASSIGN_OR_RETURN(const Manifest manifest, ManifestOf(client, request.job, request.set));
  Json samples = Json::array();
  DL_RETURN_IF_ERROR(VisitExamples(client, manifest, request.first, request.count,
                                   [&](const Block& block, size_t example, int64_t index) {
                                     samples.push_back(ExampleJson(block, manifest.schema, example,
                                                                   request.images));
                                     samples.back()["index"] = index;
                                   }));
  return JsonText({{"set", request.set},
                   {"first", request.first},
                   {"examples", manifest.examples},
                   {"columns", ColumnNames(manifest.schema)},
                   {"samples", std::move(samples)}});
}

StatusOr<std::string> ExamplePicture(rpc::ClientService& client,
                                     const web::PictureRequest& request) {
  DL_ASSIGN_OR_RETURN(const Manifest manifest, ManifestOf(client, request.job, request.set));
  if (!IsImage(manifest.schema)) {
    return NotFound({.message = "the examples of the set are no images", .where = request.job});
  }
  std::string png;
  DL_RETURN_IF_ERROR(VisitExamples(client, manifest, request.index, 1,
                                   [&](const Block& block, size_t example, int64_t) {
                                     png = ExamplePng(block, manifest.schema, example);
                                   }));
  return png;
}

}  // namespace dl::inference
