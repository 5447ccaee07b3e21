#include "dataset/batch_reader.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/fail_point.h"
#include "base/limits.h"
#include "dataset/block.h"
#include "dataset/token_masks.h"

namespace dl::dataset {
namespace {

Status Grow(FloatBuffer& buffer, int64_t count) {
  if (buffer.size() >= count) return absl::OkStatus();
  DL_ASSIGN_OR_RETURN(buffer, FloatBuffer::Create(count));
  return absl::OkStatus();
}

}  // namespace

Status BatchBuffer::Reserve(const Schema& schema, int64_t examples) {
  DL_RETURN_IF_ERROR(Grow(features_, examples * schema.FeatureSize()));
  DL_RETURN_IF_ERROR(Grow(targets_, examples * schema.TargetsPerExample()));
  if (schema.weights) DL_RETURN_IF_ERROR(Grow(weights_, examples));
  const int64_t labels = examples * schema.labels_per_example();
  if (schema.label_kind() == LabelKind::kClass && static_cast<int64_t>(classes_.size()) < labels)
    classes_.resize(labels);
  if (schema.variable_length && static_cast<int64_t>(lengths_.size()) < examples)
    lengths_.resize(examples);
  return absl::OkStatus();
}

StatusOr<std::unique_ptr<BatchReader>> BatchReader::Create(UnitRead unit) {
  if (unit.dataset == nullptr || unit.order == nullptr ||
      unit.order->examples() != unit.dataset->manifest().examples) {
    return InvalidArgument({.message = "the epoch order belongs to another dataset"});
  }
  const PositionRange& range = unit.range;
  if (range.first < 0 || range.examples < 0 || range.examples > unit.order->examples() ||
      range.first > unit.order->examples() - range.examples) {
    return InvalidArgument({.message = absl::StrCat(range.examples, " examples from position ",
                                                    range.first, " are outside an epoch of ",
                                                    unit.order->examples(), " examples")});
  }
  if (unit.batch_size < 1 || unit.batch_size > limits::kMaxBatchSize) {
    return InvalidArgument(
        {.message = absl::StrCat("the batch size is ", unit.batch_size, ", but must be from 1 to ",
                                 limits::kMaxBatchSize)});
  }
  return std::unique_ptr<BatchReader>(new BatchReader(std::move(unit)));
}

BatchReader::BatchReader(UnitRead unit) : unit_(std::move(unit)), position_(unit_.range.first) {
  if (unit_.augmentation != nullptr)
    scratch_.resize(unit_.dataset->manifest().schema.FeatureSize());
}

void BatchReader::EnterWindow(int64_t position) {
  window_ = unit_.order->WindowAt(position);
  std::vector<uint32_t> blocks = window_->blocks;
  std::ranges::sort(blocks);
  // Consecutive windows of a stream have most of their blocks in common, so these stay.
  absl::erase_if(held_,
                 [&](const auto& held) { return !std::ranges::binary_search(blocks, held.first); });
}

StatusOr<const Block*> BatchReader::Hold(uint32_t index) {
  auto found = held_.find(index);
  if (found != held_.end()) return found->second.get();
  DL_ASSIGN_OR_RETURN(std::shared_ptr<const Block> block, unit_.dataset->ReadBlock(index));
  return held_.emplace(index, std::move(block)).first->second.get();
}

void BatchReader::CopyExample(const Block& block, uint32_t offset, int64_t row,
                              BatchBuffer& buffer) {
  const Schema& schema = unit_.dataset->manifest().schema;
  const size_t size = schema.FeatureSize();
  const auto out = buffer.features_.span().subspan(row * size, size);
  if (schema.feature_type() == FeatureType::kU8) {
    unit_.dataset->scaler().Apply(block.features_u8().subspan(offset * size, size), out);
  } else {
    unit_.dataset->scaler().Apply(block.features_f32().subspan(offset * size, size), out);
  }
  if (unit_.augmentation != nullptr) {
    const EpochOrderKey& key = unit_.order->key();
    unit_.augmentation->Apply(
        {.seed = key.seed, .epoch = key.epoch, .example = block.ids()[offset]}, out, scratch_);
  }
  if (schema.variable_length) buffer.lengths_[row] = block.lengths()[offset];
  if (schema.weights) buffer.weights_.span()[row] = block.weights()[offset];
  if (schema.label_kind() == LabelKind::kClass) {
    const size_t labels = schema.labels_per_example();
    std::copy_n(block.classes().begin() + offset * labels, labels,
                buffer.classes_.begin() + row * labels);
  } else {
    const size_t width = schema.TargetsPerExample();
    unit_.dataset->target_scaler().Apply(block.targets().subspan(offset * width, width),
                                         buffer.targets_.span().subspan(row * width, width));
  }
  if (schema.mask_probability() > 0) {
    const EpochOrderKey& key = unit_.order->key();
    const size_t labels = schema.labels_per_example();
    HideTokens(schema, {.seed = key.seed, .epoch = key.epoch, .example = block.ids()[offset]}, out,
               std::span(buffer.classes_).subspan(row * labels, labels));
  }
  buffer.batch_.example_hash_sum += ExampleHash(block.ids()[offset]);
}

StatusOr<bool> BatchReader::Next(BatchBuffer& buffer) {
  const Schema& schema = unit_.dataset->manifest().schema;
  const int64_t end = unit_.range.first + unit_.range.examples;
  if (position_ == end) return false;
  const int64_t count = std::min(unit_.batch_size, end - position_);
  DL_RETURN_IF_ERROR(buffer.Reserve(schema, std::min(unit_.batch_size, unit_.range.examples)));
  buffer.batch_ = {.examples = count};
  // This fail point drops the last example of the batch and repeats the one before it. The epoch's
  // sum of hashes must detect that.
  const int64_t repeated = FailPoint("reader.drop_and_repeat").ok() ? -1 : count - 1;
  for (int64_t row = 0; row < count; ++row) {
    const int64_t position = position_ + (row > 0 && row == repeated ? row - 1 : row);
    if (window_ == nullptr || position < window_->first ||
        position >= window_->first + static_cast<int64_t>(window_->examples.size())) {
      EnterWindow(position);
    }
    const ExampleRef ref = window_->examples[position - window_->first];
    DL_ASSIGN_OR_RETURN(const Block* block, Hold(ref.block));
    CopyExample(*block, ref.offset, row, buffer);
  }
  position_ += count;
  buffer.batch_.features = buffer.features_.span().first(count * schema.FeatureSize());
  buffer.batch_.lengths = std::span(buffer.lengths_).first(schema.variable_length ? count : 0);
  buffer.batch_.weights = buffer.weights_.span().first(schema.weights ? count : 0);
  buffer.batch_.targets = buffer.targets_.span().first(count * schema.TargetsPerExample());
  buffer.batch_.classes =
      std::span(buffer.classes_)
          .first(schema.label_kind() == LabelKind::kClass ? count * schema.labels_per_example()
                                                          : 0);
  return true;
}

}  // namespace dl::dataset
