#include "dataset/import.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/philox.h"

namespace dl::dataset {
namespace {

std::vector<uint64_t> StoredOrder(int64_t examples, const ImportOptions& options) {
  std::vector<uint64_t> ids(examples);
  std::iota(ids.begin(), ids.end(), uint64_t{0});
  if (options.order == ImportOrder::kSource) return ids;
  RandomStream stream({.seed = options.shuffle_key, .purpose = RandomPurpose::kImportShuffle});
  for (size_t i = ids.size(); i > 1; --i) std::swap(ids[i - 1], ids[stream.Bounded(i)]);
  return ids;
}

// Rows of a table, gathered for one block at a time into buffers that are reused.
class BlockBuilder {
 public:
  explicit BlockBuilder(const ExampleTable& table)
      : table_(table), row_bytes_(table.schema.FeatureBytes()) {}

  StatusOr<Bytes> Build(std::span<const uint64_t> ids, Compression compression) {
    const auto targets = static_cast<size_t>(table_.schema.target_size);
    features_.resize(ids.size() * row_bytes_);
    classes_.clear();
    targets_.clear();
    for (size_t i = 0; i < ids.size(); ++i) {
      const uint64_t id = ids[i];
      std::memcpy(features_.data() + i * row_bytes_, table_.FeatureBytes().data() + id * row_bytes_,
                  row_bytes_);
      if (!table_.classes.empty()) classes_.push_back(table_.classes[id]);
      const auto from = table_.targets.begin() + id * targets;
      targets_.insert(targets_.end(), from, from + targets);
    }
    return EncodeBlock(
        table_.schema,
        {.ids = ids, .classes = classes_, .targets = targets_, .features = features_}, compression);
  }

 private:
  const ExampleTable& table_;
  size_t row_bytes_;
  Bytes features_;
  std::vector<int32_t> classes_;
  std::vector<float> targets_;
};

}  // namespace

std::string ContentFingerprint(const ExampleTable& table) {
  Sha256 hash;
  hash.Update(SchemaToJson(table.schema).dump());
  hash.UpdateU64(static_cast<uint64_t>(table.examples));
  hash.Update(std::as_bytes(std::span(table.classes)));
  hash.Update(std::as_bytes(std::span(table.targets)));
  hash.Update(table.FeatureBytes());
  return hash.HexDigest();
}

StatusOr<Manifest> Import(const ExampleTable& table, const ImportOptions& options,
                          BlockSink& sink) {
  DL_RETURN_IF_ERROR(ValidateTable(table));
  if (options.block_bytes < 1 || options.block_bytes > limits::kBlockBytes) {
    return InvalidArgument(
        {.message = absl::StrCat("blocks of ", options.block_bytes, " bytes, must be from 1 to ",
                                 limits::kBlockBytes)});
  }
  Manifest manifest = {.schema = table.schema,
                       .examples = table.examples,
                       .class_histogram = std::vector<int64_t>(table.schema.classes, 0),
                       .content_fingerprint = ContentFingerprint(table)};
  if (options.fitted) {
    manifest.normalizer = *options.fitted;
  } else {
    manifest.normalizer = FitNormalizer(options.normalizer, table);
  }
  DL_RETURN_IF_ERROR(ValidateNormalizer(manifest.normalizer, table.schema));
  for (int32_t label : table.classes) ++manifest.class_histogram[label];

  const std::vector<uint64_t> order = StoredOrder(table.examples, options);
  const auto per_block = static_cast<size_t>(ExamplesPerBlock(table.schema, options.block_bytes));
  BlockBuilder builder(table);
  for (size_t begin = 0; begin < order.size(); begin += per_block) {
    const auto ids = std::span(order).subspan(begin, std::min(per_block, order.size() - begin));
    for (uint64_t id : ids) manifest.example_hash_sum += ExampleHash(id);
    DL_ASSIGN_OR_RETURN(const Bytes bytes, builder.Build(ids, options.compression));
    const std::string sha256 = Sha256Hex(bytes);
    DL_RETURN_IF_ERROR(sink.Put(sha256, bytes));
    manifest.blocks.push_back({.sha256 = sha256,
                               .examples = static_cast<int64_t>(ids.size()),
                               .bytes = static_cast<int64_t>(bytes.size())});
  }
  return manifest;
}

}  // namespace dl::dataset
