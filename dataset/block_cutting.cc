#include "dataset/block_cutting.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/json.h"
#include "base/philox.h"
#include "dataset/stored_rows.h"

namespace dl::dataset {
namespace {

std::vector<uint64_t> StoredOrder(int64_t examples, const CutOptions& options) {
  std::vector<uint64_t> ids(examples);
  std::iota(ids.begin(), ids.end(), uint64_t{0});
  if (options.order == CutOrder::kSource) return ids;
  RandomStream stream({.seed = options.shuffle_key, .purpose = RandomPurpose::kImportShuffle});
  for (size_t i = ids.size(); i > 1; --i) std::swap(ids[i - 1], ids[stream.Bounded(i)]);
  return ids;
}

// Collects the rows of one block at a time in buffers that are reused.
class BlockBuilder {
 public:
  BlockBuilder(const ExampleTable& table, StoredRows& rows)
      : table_(table), rows_(rows), row_bytes_(table.schema.FeatureBytes()) {}

  // Returns the block of the examples `ids`. Their rows are stored from position `begin`.
  StatusOr<Bytes> Build(size_t begin, std::span<const uint64_t> ids, Compression compression) {
    const auto targets = static_cast<size_t>(table_.schema.TargetsPerExample());
    features_.resize(ids.size() * row_bytes_);
    DL_RETURN_IF_ERROR(rows_.Gather(begin, features_));
    lengths_.clear();
    weights_.clear();
    classes_.clear();
    targets_.clear();
    const auto labels =
        static_cast<size_t>(table_.classes.empty() ? 0 : table_.schema.labels_per_example());
    for (const uint64_t id : ids) {
      if (!table_.lengths.empty()) lengths_.push_back(table_.lengths[id]);
      if (!table_.weights.empty()) weights_.push_back(table_.weights[id]);
      const auto first = table_.classes.begin() + id * labels;
      classes_.insert(classes_.end(), first, first + labels);
      const auto from = table_.targets.begin() + id * targets;
      targets_.insert(targets_.end(), from, from + targets);
    }
    return EncodeBlock(table_.schema,
                       {.ids = ids,
                        .lengths = lengths_,
                        .weights = weights_,
                        .classes = classes_,
                        .targets = targets_,
                        .features = features_},
                       compression);
  }

 private:
  const ExampleTable& table_;
  StoredRows& rows_;
  size_t row_bytes_;
  Bytes features_;
  std::vector<int32_t> lengths_, classes_;
  std::vector<float> weights_, targets_;
};

}  // namespace

StatusOr<std::string> ContentFingerprint(const ExampleTable& table, ExampleSampler* sampler) {
  Sha256 hash;
  Schema schema = table.schema;
  schema.label_columns = {};  // property of the file, not of its examples
  if (schema.weights) schema.weights->column.reset();
  hash.Update(SchemaToJson(schema).dump());
  hash.UpdateU64(static_cast<uint64_t>(table.examples));
  hash.Update(std::as_bytes(std::span(table.lengths)));
  hash.Update(std::as_bytes(std::span(table.weights)));
  hash.Update(std::as_bytes(std::span(table.classes)));
  hash.Update(std::as_bytes(std::span(table.targets)));
  DL_RETURN_IF_ERROR(VisitFeatures(table, [&](std::span<const std::byte> rows) {
    hash.Update(rows);
    if (sampler != nullptr) sampler->Add(rows, table.schema.FeatureBytes());
    return absl::OkStatus();
  }));
  return hash.HexDigest();
}

StatusOr<Manifest> CutBlocks(const ExampleTable& table, const CutOptions& options,
                             BlockSink& sink) {
  DL_RETURN_IF_ERROR(ValidateTable(table));
  if (options.block_bytes < 1 || options.block_bytes > limits::kBlockBytes) {
    return InvalidArgument(
        {.message = absl::StrCat("blocks of ", options.block_bytes, " bytes, must be from 1 to ",
                                 limits::kBlockBytes)});
  }
  Manifest manifest = {.schema = table.schema,
                       .examples = table.examples,
                       .order = options.order,
                       .class_histogram = std::vector<int64_t>(table.schema.classes(), 0)};
  DL_ASSIGN_OR_RETURN(manifest.content_fingerprint, ContentFingerprint(table, options.sampler));
  if (options.fitted) {
    manifest.normalizer = options.fitted->features;
    manifest.target_normalizer = options.fitted->targets;
  } else {
    DL_ASSIGN_OR_RETURN(manifest.normalizer, FitNormalizer(options.normalizer, table));
    DL_ASSIGN_OR_RETURN(manifest.target_normalizer,
                        FitTargetNormalizer(options.target_normalizer, table));
  }
  DL_RETURN_IF_ERROR(ValidateNormalizer(manifest.normalizer, table.schema));
  DL_RETURN_IF_ERROR(ValidateTargetNormalizer(manifest.target_normalizer, table.schema));
  for (const int32_t label : table.classes) {
    if (label != kNoLabel) ++manifest.class_histogram[label];
  }

  const std::vector<uint64_t> order = StoredOrder(table.examples, options);
  const auto per_block = static_cast<size_t>(ExamplesPerBlock(table.schema, options.block_bytes));
  DL_ASSIGN_OR_RETURN(const std::unique_ptr<StoredRows> rows,
                      StoredRows::Create(table, order,
                                         {.memory_bytes = options.memory_bytes,
                                          .rows_per_block = static_cast<int64_t>(per_block)}));
  BlockBuilder builder(table, *rows);
  for (size_t begin = 0; begin < order.size(); begin += per_block) {
    const auto ids = std::span(order).subspan(begin, std::min(per_block, order.size() - begin));
    for (uint64_t id : ids) manifest.example_hash_sum += ExampleHash(id);
    DL_ASSIGN_OR_RETURN(const Bytes bytes, builder.Build(begin, ids, options.compression));
    const std::string sha256 = Sha256Hex(bytes);
    DL_RETURN_IF_ERROR(sink.Put(sha256, bytes));
    manifest.blocks.push_back({.sha256 = sha256,
                               .examples = static_cast<int64_t>(ids.size()),
                               .bytes = static_cast<int64_t>(bytes.size())});
  }
  return manifest;
}

}  // namespace dl::dataset
