// Measures the stages of an import. Tables and folders of images become blocks. Many small blocks
// are stored in a master, directly through storage::BlobStore or by upload to a real master through
// loopback. The time per block should not depend on the number of stored blocks.
//
// bench import [--way numbers|words|decimals|integers|images|store|upload] [--blocks N] [--bytes B]
// [--source PATH] [--mib N] [--images N] [--side N] [--repeats N]: prints one JSON line for each
// way. The time to generate blocks, tables and images is not included.
#include <functional>
#include <iostream>
#include <span>
#include <vector>

#include "base/checksum.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/philox.h"
#include "bench/program.h"
#include "bench/programs.h"
#include "bench/source_reading.h"
#include "bench/temporary_folder.h"
#include "cli/flags.h"
#include "launch/import/block_upload.h"
#include "launch/version.h"
#include "master/master.h"
#include "rpc/client.h"
#include "rpc/server.h"
#include "security/token_store.h"

namespace dl::bench {
namespace import_bench {
namespace {

struct Plan {
  int64_t blocks = 10'000;
  int64_t bytes = 1024;  // per block
  std::string way;       // empty: all but upload
};

constexpr int64_t kTenths = 10;

// Returns the block with this number. All blocks differ.
std::string Block(int64_t number, int64_t bytes) {
  RandomStream random({.seed = static_cast<uint64_t>(number), .purpose = RandomPurpose::kForTests});
  std::string block(bytes, '\0');
  for (char& byte : block) byte = static_cast<char>(random.Bounded(256));
  return block;
}

struct NamedBlock {
  std::string content;
  std::string sha256;
};

// Returns the seconds of each tenth. When `put` returns, its blocks are stored.
StatusOr<std::vector<double>> Measure(
    const Plan& plan, const std::function<Status(std::span<const NamedBlock>)>& put) {
  std::vector<double> tenths(kTenths, 0.0);
  std::vector<NamedBlock> blocks;
  for (int64_t i = 0; i < plan.blocks; ++i) {
    NamedBlock block{.content = Block(i, plan.bytes)};
    block.sha256 = Sha256Hex(block.content);
    blocks.push_back(std::move(block));
    if (static_cast<int64_t>(blocks.size()) < limits::kMaxPutBlocks && i + 1 < plan.blocks)
      continue;
    const Instant start = Clock::Real().Now();
    DL_RETURN_IF_ERROR(put(blocks));
    tenths[i * kTenths / plan.blocks] += Seconds(Clock::Real().Now() - start);
    blocks.clear();
  }
  return tenths;
}

StatusOr<std::vector<double>> ThroughTheStore(const Plan& plan, const std::string& folder) {
  DL_ASSIGN_OR_RETURN(const auto database, storage::BulkDatabase::Open(folder, "bulk", {}));
  DL_ASSIGN_OR_RETURN(const auto store, storage::BlobStore::Open(*database));
  return Measure(plan, [&](std::span<const NamedBlock> blocks) -> Status {
    std::vector<storage::Blob> blobs;
    std::vector<std::string> names;
    for (const NamedBlock& block : blocks) {
      blobs.push_back({block.sha256, std::as_bytes(std::span(block.content))});
      names.push_back(block.sha256);
    }
    DL_RETURN_IF_ERROR(store->Missing(names).status());
    return store->Put(blobs);
  });
}

StatusOr<std::vector<double>> ThroughAMaster(const Plan& plan, const std::string& folder) {
  DL_ASSIGN_OR_RETURN(const auto master, master::Master::Open({.data_dir = folder}));
  DL_ASSIGN_OR_RETURN(const auto server, rpc::Server::Listen({.version = launch::kVersion}));
  DL_ASSIGN_OR_RETURN(const auto tokens, security::TokenStore::Open(""));
  DL_ASSIGN_OR_RETURN(const security::Token token,
                      tokens->Create({.owner = "bench", .role = security::Role::kSubmit}));
  server->Serve({.clients = &master->gateway(), .tokens = tokens.get()});
  DL_ASSIGN_OR_RETURN(const auto client,
                      rpc::Client::Connect({.endpoint = {"127.0.0.1", server->port()},
                                            .version = launch::kVersion,
                                            .credentials = {.token = token.credential()}}));
  launch::BlockUpload upload(*client, [] { return absl::OkStatus(); });
  auto seconds = Measure(plan, [&](std::span<const NamedBlock> blocks) -> Status {
    for (const NamedBlock& block : blocks)
      DL_RETURN_IF_ERROR(upload.Put(block.sha256, std::as_bytes(std::span(block.content))));
    return upload.Flush();
  });
  server->Stop();
  return seconds;
}

StatusOr<Json> MeasureBlocks(const Plan& plan, const std::string& way) {
  const TemporaryFolder folder;
  DL_ASSIGN_OR_RETURN(const std::vector<double> tenths, way == "store"
                                                            ? ThroughTheStore(plan, folder.path())
                                                            : ThroughAMaster(plan, folder.path()));
  double seconds = 0;
  for (const double tenth : tenths) seconds += tenth;
  return Json{{"blocks", plan.blocks},
              {"bytes_each", plan.bytes},
              {"seconds", seconds},
              {"blocks_per_second", static_cast<double>(plan.blocks) / seconds},
              {"tenths_s", tenths}};
}

StatusOr<Json> MeasureWay(const Plan& plan, const ReadingPlan& reading, const std::string& way) {
  if (way == "words") return MeasureTable(reading, TableKind::kWords);
  if (way == "decimals") return MeasureTable(reading, TableKind::kDecimals);
  if (way == "integers") return MeasureTable(reading, TableKind::kIntegers);
  if (way == "numbers") return MeasureTable(reading, TableKind::kNumbers);
  return way == "images" ? MeasureImages(reading) : MeasureBlocks(plan, way);
}

Status Run(const Plan& plan, const ReadingPlan& reading) {
  const std::vector<std::string> ways =
      plan.way.empty()
          ? std::vector<std::string>{"numbers", "words", "decimals", "integers", "images", "store"}
          : std::vector<std::string>{plan.way};
  for (const std::string& way : ways) {
    DL_ASSIGN_OR_RETURN(Json line, MeasureWay(plan, reading, way));
    line["bench"] = "import";
    line["way"] = way;
    std::cout << line.dump() << std::endl;
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace import_bench

int RunImport(int argc, char** argv) {
  using namespace import_bench;
  Plan plan;
  ReadingPlan reading;
  cli::Flags flags("bench import", "Speed of the stages of an import");
  flags.Choice("--way", "WAY", plan.way,
               {"numbers", "words", "decimals", "integers", "images", "store", "upload"},
               "numbers, words, decimals, integers: a table; images: a folder; store: blocks into "
               "storage::BlobStore; upload: blocks to a master through loopback. Default: all but "
               "upload");
  flags.Integer("--blocks", "N", plan.blocks, "Number of blocks to store", 1, 10'000'000);
  flags.Integer("--bytes", "B", plan.bytes, "Of each block", 16, limits::kMaxBlockBytes);
  flags.Text("--source", "PATH", reading.source,
             "Table or folder of images to read. Default: a generated one");
  flags.Integer("--mib", "N", reading.mib, "Size of a generated table, in MiB", 1, 16384);
  flags.Integer("--images", "N", reading.images, "Number of generated images", 4, 1'000'000);
  flags.Integer("--side", "N", reading.side, "Height and width of the examples, in pixels", 1,
                1024);
  flags.Integer("--repeats", "N", reading.repeats, "Of each reading", 1, 1000);
  return RunProgram(argc, argv, flags, [&] { return Run(plan, reading); });
}

}  // namespace dl::bench
