#include "dataset/readers/array/idx_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/limits.h"
#include "dataset/readers/array/channel_order.h"
#include "dataset/readers/class_labels.h"
#include "dataset/readers/feature_rounder.h"
#include "dataset/readers/file_error.h"
#include "dataset/readers/source_file.h"
#include "dataset/readers/source_paths.h"
#include "dataset/readers/weight_file.h"

namespace dl::dataset {
namespace {

// Type codes of the format.
enum class IdxType : uint8_t {
  kU8 = 0x08,
  kI8 = 0x09,
  kI16 = 0x0b,
  kI32 = 0x0c,
  kF32 = 0x0d,
  kF64 = 0x0e
};

int64_t SizeOf(IdxType type) {
  switch (type) {
    case IdxType::kU8:
    case IdxType::kI8:
      return 1;
    case IdxType::kI16:
      return 2;
    case IdxType::kI32:
    case IdxType::kF32:
      return 4;
    case IdxType::kF64:
      return 8;
  }
  return 0;
}

uint32_t BigEndian32(const std::byte* bytes) {
  uint32_t value;
  std::memcpy(&value, bytes, 4);
  return __builtin_bswap32(value);
}

struct IdxHeader {
  IdxType type = IdxType::kU8;
  std::vector<int64_t> shape;  // including the number of examples as first dimension
  int64_t values = 0;
};

// Reads the header and checks that the file holds exactly the values that it declares.
StatusOr<IdxHeader> ReadHeader(SourceFile& file) {
  // Dimensions of an example, plus the number of examples.
  constexpr size_t kMaxDimensions = 1 + limits::kMaxRank;
  std::array<std::byte, 4 + 4 * kMaxDimensions> bytes;
  DL_RETURN_IF_ERROR(file.Read(std::span(bytes).first(4)));
  IdxHeader header;
  header.type = static_cast<IdxType>(bytes[2]);
  const auto rank = static_cast<size_t>(bytes[3]);
  if (bytes[0] != std::byte{0} || bytes[1] != std::byte{0} || SizeOf(header.type) == 0) {
    return file.Damaged(0, "is not an IDX file: its first bytes are wrong");
  }
  if (rank < 1 || rank > kMaxDimensions) {
    return file.Damaged(
        3, absl::StrCat("has ", rank, " dimensions, must have from 1 to ", kMaxDimensions));
  }
  DL_RETURN_IF_ERROR(file.Read(std::span(bytes).subspan(4, 4 * rank)));
  for (size_t i = 0; i < rank; ++i) {
    header.shape.push_back(BigEndian32(bytes.data() + 4 + 4 * i));
    if (header.shape[i] > 0) continue;
    return file.Damaged(4 + 4 * i, absl::StrCat("dimension ", i, " is 0, must be at least 1"));
  }
  header.values = 1;
  for (int64_t extent : header.shape) {
    if (header.values <= limits::kMaxImportBytes / extent) {
      header.values *= extent;
      continue;
    }
    // Reports the largest dimension, because it is probably the wrong one.
    const auto largest = std::max_element(header.shape.begin(), header.shape.end());
    return file.Damaged(4 + 4 * (largest - header.shape.begin()),
                        absl::StrCat("the header declares ", absl::StrJoin(header.shape, " x "),
                                     " values, more than the limit of ", limits::kMaxImportBytes));
  }
  DL_RETURN_IF_ERROR(file.CheckTotal(file.position() + header.values * SizeOf(header.type)));
  return header;
}

template <typename Raw, typename Bits>
double ValueAt(const std::byte* bytes) {
  Bits bits;
  std::memcpy(&bits, bytes, sizeof bits);
  if constexpr (sizeof bits == 2) bits = __builtin_bswap16(bits);
  if constexpr (sizeof bits == 4) bits = __builtin_bswap32(bits);
  if constexpr (sizeof bits == 8) bits = __builtin_bswap64(bits);
  Raw value;
  std::memcpy(&value, &bits, sizeof value);
  return static_cast<double>(value);
}

double ValueOf(IdxType type, const std::byte* bytes) {
  switch (type) {
    case IdxType::kU8:
      return ValueAt<uint8_t, uint8_t>(bytes);
    case IdxType::kI8:
      return ValueAt<int8_t, uint8_t>(bytes);
    case IdxType::kI16:
      return ValueAt<int16_t, uint16_t>(bytes);
    case IdxType::kI32:
      return ValueAt<int32_t, uint32_t>(bytes);
    case IdxType::kF32:
      return ValueAt<float, uint32_t>(bytes);
    case IdxType::kF64:
      return ValueAt<double, uint64_t>(bytes);
  }
  return 0;
}

// Reads all values of the file and calls `store(value)` for each. `store` returns false if the
// value is out of range; `range` describes the range in the error.
template <typename Store>
Status ReadValues(SourceFile& file, const IdxHeader& header, std::string_view range, Store store) {
  const int64_t size = SizeOf(header.type);
  std::array<std::byte, 8 * 8192> buffer;
  for (int64_t begin = 0; begin < header.values; begin += 8192) {
    const int64_t count = std::min<int64_t>(8192, header.values - begin);
    const int64_t at = file.position();
    DL_RETURN_IF_ERROR(file.Read(std::span(buffer).first(count * size)));
    for (int64_t i = 0; i < count; ++i) {
      if (!store(ValueOf(header.type, buffer.data() + i * size))) {
        const double value = ValueOf(header.type, buffer.data() + i * size);
        return file.Damaged(at + i * size,
                            absl::StrCat("value ", begin + i, " is out of range: it is ", value,
                                         ", not ", std::string(range)));
      }
    }
  }
  return file.ExpectEnd();
}

// Returns the shape of the examples. A table and an image without channels get a leading dimension
// of 1.
std::vector<int64_t> ExampleShape(const IdxHeader& header) {
  std::vector<int64_t> shape(header.shape.begin() + 1, header.shape.end());
  if (shape.empty() || shape.size() == 2) shape.insert(shape.begin(), 1);  // (1) and (1, H, W)
  return shape;
}

// Checks that a later file has examples like those of the first file.
Status CheckSameExamples(const SourceFile& file, const IdxHeader& header, const Schema& schema,
                         const std::string& first, const std::vector<int64_t>& shape) {
  if (shape != schema.feature_shape) {
    return file.Damaged(4,
                        absl::StrCat("has examples of ", absl::StrJoin(shape, "x"), ", those of ",
                                     first, " are ", absl::StrJoin(schema.feature_shape, "x")),
                        "Name files of one set");
  }
  if ((header.type == IdxType::kU8) == (schema.feature_type() == FeatureType::kU8))
    return absl::OkStatus();
  return file.Damaged(2,
                      absl::StrCat("has ", header.type == IdxType::kU8 ? "" : "no ",
                                   "bytes as values, unlike ", first),
                      "Write all files with one type");
}

Status ReadBytes(SourceFile& file, const IdxHeader& header, const RowMemory& memory,
                 ExampleTable& table) {
  // Reads step by step, because a compressed file may declare far more than it holds.
  const int64_t row = table.schema.FeatureSize();
  const int64_t together = std::min(int64_t{1} << 20, memory.bytes);
  const int64_t step = std::max<int64_t>(1, together / row) * row;
  for (int64_t have = 0; have < header.values;) {
    DL_RETURN_IF_ERROR(SpillFeatures(memory, table));
    const size_t before = table.u8.size(), more = std::min(step, header.values - have);
    table.u8.resize(before + more);
    DL_RETURN_IF_ERROR(
        file.Read(std::as_writable_bytes(std::span(table.u8).subspan(before, more))));
    have += static_cast<int64_t>(more);
  }
  return file.ExpectEnd();
}

// State of the files of features that were read before.
struct FeatureFiles {
  std::string first;  // path of the first file; "" while reading it
  job::ArrayLayout layout = job::ArrayLayout::kAuto;
};
Status ReadFeatures(const std::string& path, const FeatureFiles& files, const ReadOptions& reading,
                    ExampleTable& table) {
  const auto& [first, layout] = files;
  DL_ASSIGN_OR_RETURN(SourceFile file, SourceFile::Open(path));
  DL_ASSIGN_OR_RETURN(const IdxHeader header, ReadHeader(file));
  const auto shape = ShapeInOrder(ExampleShape(header), layout);
  if (!shape.ok())
    return file.Damaged(4, std::string(shape.status().message()), ErrorRemedy(shape.status()));
  if (first.empty()) {
    table.schema.feature_shape = *shape;
    if (header.type == IdxType::kU8) table.schema.features = ByteFeatures{};
  } else {
    DL_RETURN_IF_ERROR(CheckSameExamples(file, header, table.schema, first, *shape));
  }
  table.examples += header.shape[0];
  const bool moves_channels = layout == job::ArrayLayout::kChannelsLast;
  if (header.type == IdxType::kU8 && !moves_channels)
    return ReadBytes(file, header, reading.memory, table);
  // Moves full rows to the temporary file only at the end of a row.
  const int64_t row = table.schema.FeatureSize();
  Status spilled;
  int64_t values = 0;
  FeatureRounder rounder = RounderOf(table.schema, reading, /*is_wide=*/true, layout);
  ChannelsInFront<float> in_front(table.schema.feature_shape[0], row);
  ChannelsInFront<uint8_t> bytes_in_front(table.schema.feature_shape[0], row);

  const Status read = ReadValues(file, header, "a finite float32", [&](double value) {
    if (values++ % row == 0) spilled = SpillFeatures(reading.memory, table);
    if (header.type == IdxType::kU8) {
      bytes_in_front.Add(static_cast<uint8_t>(value), table.u8);
      return spilled.ok();
    }
    const auto nearest = static_cast<float>(value);
    const float rounded = rounder.Next(value, nearest);
    if (moves_channels) {
      in_front.Add(rounded, table.f32);
    } else {
      table.f32.push_back(rounded);
    }
    return spilled.ok() && std::isfinite(nearest);
  });
  return spilled.ok() ? read : spilled;
}

// Appends the labels of a file to the examples that have none yet.
Status ReadLabels(const std::string& path, const std::optional<int64_t>& none,
                  ExampleTable& table) {
  DL_ASSIGN_OR_RETURN(SourceFile file, SourceFile::Open(path));
  DL_ASSIGN_OR_RETURN(const IdxHeader header, ReadHeader(file));
  const int64_t examples = table.examples - static_cast<int64_t>(table.classes.size());
  if (header.shape.size() != 1 || header.shape[0] != examples) {
    const std::string has =
        header.shape.size() == 1
            ? absl::StrCat("has ", header.shape[0], " labels for ", examples, " examples")
            : absl::StrCat("has ", header.shape.size(), " dimensions, labels have one");
    return file.Damaged(4, has, "Name the labels of the same split as the features");
  }
  const std::string range = absl::StrCat("a whole number from 0 to ", limits::kMaxClasses - 1);
  return ReadValues(file, header, range, [&](double value) {
    if (none && value == static_cast<double>(*none)) {
      table.classes.push_back(kNoLabel);
      return true;
    }
    if (!(value >= 0 && value < static_cast<double>(limits::kMaxClasses))) return false;
    table.classes.push_back(static_cast<int32_t>(value));
    return static_cast<double>(table.classes.back()) == value;
  });
}

}  // namespace

StatusOr<ExampleTable> ReadIdx(const job::IdxSource& source, const ReadOptions& options) {
  DL_ASSIGN_OR_RETURN(const std::vector<std::string> features, SourcePaths(source.features));
  const bool labelled = source.labels && options.labels == LabelColumns::kAsTheSourceSays;
  std::vector<std::string> labels;
  if (labelled) {
    DL_ASSIGN_OR_RETURN(labels, PathsBeside(features, *source.labels, "labels"));
  }
  const bool weighted = source.weights && options.labels == LabelColumns::kAsTheSourceSays;
  std::vector<std::string> weights;
  if (weighted) {
    DL_ASSIGN_OR_RETURN(weights, PathsBeside(features, *source.weights, "weights"));
  }
  ExampleTable table;
  table.schema.labels = LabelsOfType(source.label_type, source.no_label);
  for (size_t i = 0; i < features.size(); ++i) {
    DL_RETURN_IF_ERROR(ReadFeatures(features[i],
                                    {.first = i == 0 ? "" : features[0], .layout = source.layout},
                                    options, table));
    if (labelled) DL_RETURN_IF_ERROR(ReadLabels(labels[i], source.no_label, table));
    const int64_t examples = table.examples - std::ssize(table.weights);
    if (weighted) DL_RETURN_IF_ERROR(AppendWeights(weights[i], examples, table));
  }
  if (weighted) DL_RETURN_IF_ERROR(FinishWeights(weights[0], table));
  if (labelled) {
    DL_RETURN_IF_ERROR(AssignClasses(table, source.class_names, options.training, labels[0]));
  } else if (options.labels == LabelColumns::kNone) {
    AddAbsentLabels(*options.training, table);
  }
  if (options.training != nullptr)
    DL_RETURN_IF_ERROR(CheckSameSchema(table.schema, *options.training, features[0]));
  if (Status status = ValidateTable(table); !status.ok()) {
    return AboutFile(status, features[0],
                     "Correct the files, or class_names where they are stated");
  }
  return table;
}

}  // namespace dl::dataset
