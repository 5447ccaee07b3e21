#include "dataset/block.h"

#include <zstd.h>

#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/limits.h"

namespace dl::dataset {
namespace {

constexpr uint32_t kMagic = 0x4b425650;  // "PVBK"
constexpr uint16_t kVersion = 1;         // plus 1 with lengths, plus 2 with weights
constexpr uint16_t kMayMiss = 4;         // is added if NaN is a missing number
constexpr uint16_t kLastVersion = 8;
constexpr size_t kHeaderBytes = 56;
constexpr size_t kChecksumBytes = 8;
constexpr int kZstdLevel = 3;

struct Header {
  uint32_t magic = kMagic;
  uint16_t version = kVersion;
  uint8_t feature_type = 0;
  uint8_t label_kind = 0;
  uint8_t compression = 0;
  uint8_t rank = 0;
  uint16_t zero16 = 0;
  uint32_t examples = 0;
  uint32_t label_width = 0;
  uint32_t zero32 = 0;
  uint64_t payload_bytes = 0;
  uint64_t stored_bytes = 0;
  uint32_t shape[4] = {};
};
static_assert(sizeof(Header) == kHeaderBytes);

uint32_t LabelWidth(const Schema& schema) { return static_cast<uint32_t>(schema.LabelBytes() / 4); }

Status Damaged(size_t offset, std::string message) {
  return DataLoss({.message = "block: " + std::move(message),
                   .where = absl::StrCat("byte ", offset),
                   .remedy = "Import the dataset again"});
}

uint16_t VersionOf(const Schema& schema) {
  return static_cast<uint16_t>(kVersion + (schema.variable_length ? 1 : 0) +
                               (schema.weights ? 2 : 0) + (FillsOf(schema).empty() ? 0 : kMayMiss));
}

// Returns the header of a block of this schema, without counts and sizes.
Header HeaderOf(const Schema& schema) {
  Header header;
  header.version = VersionOf(schema);
  header.feature_type = static_cast<uint8_t>(schema.feature_type());
  header.label_kind = static_cast<uint8_t>(schema.label_kind());
  header.rank = static_cast<uint8_t>(schema.feature_shape.size());
  header.label_width = LabelWidth(schema);
  for (size_t i = 0; i < schema.feature_shape.size(); ++i) {
    header.shape[i] = static_cast<uint32_t>(schema.feature_shape[i]);
  }
  return header;
}

template <typename T>
std::span<const T> TakeView(std::span<const std::byte>& from, size_t count) {
  const auto* data = reinterpret_cast<const T*>(from.data());
  from = from.subspan(count * sizeof(T));
  return {data, count};
}

Status CheckHeader(const Header& header, const Schema& schema, size_t size) {
  if (header.magic != kMagic) return Damaged(0, "does not begin with PVBK");
  if (header.version < kVersion || header.version > kLastVersion) {
    return VersionMismatch({.message = absl::StrCat("block format ", header.version,
                                                    " is not known: this program reads formats ",
                                                    kVersion, " to ", kLastVersion),
                            .remedy = "Use a newer version of Paravane"});
  }
  const Header expected = HeaderOf(schema);
  const bool is_older =
      expected.version > kMayMiss && header.version == expected.version - kMayMiss;
  if (header.version != expected.version && !is_older)
    return Damaged(
        4, absl::StrCat("its version is ", header.version, ", and the manifest's is ",
                        expected.version,
                        ": they differ in whether examples have lengths, weights or missing "
                        "numbers"));
  if (header.feature_type != expected.feature_type || header.label_kind != expected.label_kind ||
      header.rank != expected.rank || header.label_width != expected.label_width ||
      std::memcmp(header.shape, expected.shape, sizeof header.shape) != 0) {
    return Damaged(6, "types or shape differ from the manifest's schema");
  }
  if (header.zero16 != 0 || header.zero32 != 0) return Damaged(10, "reserved bytes are not zero");
  if (header.compression > static_cast<uint8_t>(Compression::kZstd)) {
    return Damaged(8, absl::StrCat("unknown compression ", header.compression));
  }
  const uint64_t record = static_cast<uint64_t>(schema.RecordBytes());
  if (header.examples == 0 || header.payload_bytes > limits::kMaxBlockBytes ||
      header.payload_bytes != record * header.examples) {
    return Damaged(12, absl::StrCat(header.examples, " examples of ", record,
                                    " bytes in a payload of ", header.payload_bytes));
  }
  if (header.stored_bytes != size - kHeaderBytes - kChecksumBytes ||
      (header.compression == 0 && header.stored_bytes != header.payload_bytes)) {
    return Damaged(32,
                   absl::StrCat("a stored payload of ", header.stored_bytes, " bytes in ", size));
  }
  return absl::OkStatus();
}

StatusOr<std::shared_ptr<const Bytes>> Decompress(std::span<const std::byte> stored, size_t size) {
  if (ZSTD_getFrameContentSize(stored.data(), stored.size()) != size) {
    return Damaged(kHeaderBytes, "the compressed payload declares another size");
  }
  auto out = std::make_shared<Bytes>(size);
  const size_t got = ZSTD_decompress(out->data(), size, stored.data(), stored.size());
  if (ZSTD_isError(got) || got != size) {
    return Damaged(kHeaderBytes, "the compressed payload is damaged");
  }
  return out;
}

}  // namespace

uint64_t ExampleHash(uint64_t example_id) { return Xxh3(std::as_bytes(std::span(&example_id, 1))); }

StatusOr<Bytes> EncodeBlock(const Schema& schema, const BlockContent& content,
                            Compression compression) {
  DL_RETURN_IF_ERROR(ValidateSchema(schema));
  const size_t n = content.ids.size();
  const bool is_class = schema.label_kind() == LabelKind::kClass;
  if (n == 0 || n > static_cast<size_t>(limits::kMaxBlockBytes / schema.RecordBytes()) ||
      content.lengths.size() != (schema.variable_length ? n : 0) ||
      content.weights.size() != (schema.weights ? n : 0) ||
      content.classes.size() != (is_class ? n * schema.labels_per_example() : 0) ||
      content.targets.size() != (is_class ? 0 : n * schema.TargetsPerExample()) ||
      content.features.size() != n * schema.FeatureBytes()) {
    return InvalidArgument(
        {.message = absl::StrCat("a block of ", n,
                                 " examples: sizes of ids, lengths, "
                                 "weights, labels and features do not match the schema")});
  }
  const size_t payload_bytes = n * schema.RecordBytes();
  Bytes out(kHeaderBytes);
  out.reserve(kHeaderBytes + payload_bytes + kChecksumBytes);
  for (std::span<const std::byte> part :
       {std::as_bytes(content.ids), std::as_bytes(content.lengths), std::as_bytes(content.weights),
        std::as_bytes(content.classes), std::as_bytes(content.targets), content.features}) {
    out.insert(out.end(), part.begin(), part.end());
  }

  Header header = HeaderOf(schema);
  header.compression = static_cast<uint8_t>(compression);
  header.examples = static_cast<uint32_t>(n);
  header.payload_bytes = header.stored_bytes = payload_bytes;
  if (compression == Compression::kZstd) {
    Bytes packed(kHeaderBytes + ZSTD_compressBound(payload_bytes));
    const size_t size = ZSTD_compress(packed.data() + kHeaderBytes, packed.size() - kHeaderBytes,
                                      out.data() + kHeaderBytes, payload_bytes, kZstdLevel);
    if (ZSTD_isError(size)) {
      return Internal({.message = absl::StrCat("zstd: ", ZSTD_getErrorName(size))});
    }
    header.stored_bytes = size;
    packed.resize(kHeaderBytes + size);
    out = std::move(packed);
  }
  std::memcpy(out.data(), &header, kHeaderBytes);
  const uint64_t checksum = Xxh3(out);
  const auto tail = std::as_bytes(std::span(&checksum, 1));
  out.insert(out.end(), tail.begin(), tail.end());
  return out;
}

StatusOr<std::shared_ptr<const Block>> Block::Decode(std::shared_ptr<const Bytes> bytes,
                                                     const Schema& schema) {
  const std::span<const std::byte> all(*bytes);
  if (all.size() < kHeaderBytes + kChecksumBytes) {
    return Damaged(all.size(), absl::StrCat("ends after ", all.size(), " bytes"));
  }
  Header header;
  std::memcpy(&header, all.data(), kHeaderBytes);
  DL_RETURN_IF_ERROR(CheckHeader(header, schema, all.size()));
  const auto body = all.first(all.size() - kChecksumBytes);
  uint64_t checksum = 0;
  std::memcpy(&checksum, all.data() + body.size(), kChecksumBytes);
  if (Xxh3(body) != checksum) return Damaged(body.size(), "the checksum does not match");

  auto block = std::shared_ptr<Block>(new Block());
  std::span<const std::byte> payload = body.subspan(kHeaderBytes);
  block->storage_ = bytes;
  if (header.compression == static_cast<uint8_t>(Compression::kZstd)) {
    DL_ASSIGN_OR_RETURN(block->storage_, Decompress(payload, header.payload_bytes));
    payload = *block->storage_;
  }
  const size_t n = header.examples;
  block->ids_ = TakeView<uint64_t>(payload, n);
  if (schema.variable_length) block->lengths_ = TakeView<int32_t>(payload, n);
  for (size_t i = 0; i < block->lengths_.size(); ++i) {
    if (block->lengths_[i] >= 1 && block->lengths_[i] <= schema.feature_shape[0]) continue;
    return Damaged(
        kHeaderBytes + 8 * n + 4 * i,
        absl::StrCat("a sequence of ", block->lengths_[i], " steps of ", schema.feature_shape[0]));
  }
  if (schema.weights) block->weights_ = TakeView<float>(payload, n);
  if (const auto wrong = FirstWrongWeight(block->weights_)) {
    return Damaged(
        kHeaderBytes + 8 * n + 4 * (block->lengths_.size() + *wrong),
        absl::StrCat("the weight ", block->weights_[*wrong], " is no finite number of at least 0"));
  }
  if (schema.label_kind() == LabelKind::kClass) {
    block->classes_ = TakeView<int32_t>(payload, n * schema.labels_per_example());
    if (const auto wrong = FirstWrongLabel(schema, block->lengths_, block->classes_)) {
      return Damaged(
          kHeaderBytes + 8 * n + 4 * (block->lengths_.size() + block->weights_.size() + *wrong),
          absl::StrCat("class ", block->classes_[*wrong], " of ", schema.classes()));
    }
  } else {
    block->targets_ = TakeView<float>(payload, n * schema.TargetsPerExample());
  }
  if (schema.feature_type() == FeatureType::kU8) {
    block->u8_ = TakeView<uint8_t>(payload, n * schema.FeatureSize());
  } else {
    block->f32_ = TakeView<float>(payload, n * schema.FeatureSize());
  }
  return block;
}

}  // namespace dl::dataset
