#include "master/merge/received_content.h"

#include "absl/strings/str_cat.h"
#include "averaging/partial_sum.h"
#include "base/checksum.h"
#include "base/part_name.h"

namespace dl::master {
namespace {

std::span<const float> AsFloats(std::span<const std::byte> bytes) {
  // Aligned, because the content was received into a buffer of floats.
  return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
}

}  // namespace

UnitId FirstUnit(const ExpectGather& expected) {
  return {expected.job, UnitKind::kTrain, expected.round, expected.inputs.front().worker};
}

int64_t GatheredBytes(const averaging::StateLayout& layout, const ExpectGather& expected) {
  return expected.sum
             ? averaging::PartialSumBytes(layout, static_cast<int64_t>(expected.inputs.size()))
             : layout.unit.size() * static_cast<int64_t>(sizeof(float));
}

std::vector<std::span<const float>> WorkerParts(const averaging::StateLayout& layout,
                                                const ExpectGather& expected, size_t input,
                                                const FloatBuffer& content) {
  std::vector<std::span<const float>> parts;
  if (expected.sum) {
    for (const std::span<const std::byte> part :
         averaging::WorkerPartsOf(layout, static_cast<int64_t>(input), AsBytes(content)))
      parts.push_back(AsFloats(part));
    return parts;
  }
  for (const averaging::PartLayout* part : layout.PartsWith(averaging::PartScope::kWorker))
    parts.push_back(part->In(content.span()));
  return parts;
}

Status CheckContribution(const averaging::Strategy& strategy, const FloatBuffer& vector,
                         const AnnouncedContent& announced) {
  if (Xxh3(AsBytes(vector)) != announced.hash)
    return DataLoss({.message = "a contribution differs from its announcement"});
  const auto magnitudes = strategy.Measure(vector.span());
  if (!magnitudes.ok() || *magnitudes != announced.magnitudes) {
    return InvalidArgument(
        {.message = "a contribution's magnitudes differ from the announced magnitudes"});
  }
  // The round's commit records the announcement, so no other executor could confirm a wrong one.
  const std::vector<const averaging::PartLayout*> own =
      strategy.layout().PartsWith(averaging::PartScope::kWorker);
  for (size_t k = 0; k < own.size(); ++k) {
    if (PartSha256(own[k]->table, own[k]->In(vector.span())) == announced.parts.at(k).sha256)
      continue;
    return DataLoss(
        {.message = "the worker's own part of a contribution differs from its announcement"});
  }
  return absl::OkStatus();
}

Status CheckGathered(const averaging::Strategy& strategy, const ExpectGather& expected,
                     uint64_t hash, const FloatBuffer& content) {
  const std::string where = ToString(FirstUnit(expected));
  const averaging::StateLayout& layout = strategy.layout();
  if (!expected.sum) {
    const ExpectGather::Input& input = expected.inputs.front();
    return WithContext(
        CheckContribution(strategy, content, {input.hash, *input.magnitudes, input.parts}), where);
  }
  if (Xxh3(AsBytes(content)) != hash)
    return DataLoss({.message = "a received sum does not match its hash", .where = where});
  const std::vector<const averaging::PartLayout*> own =
      layout.PartsWith(averaging::PartScope::kWorker);
  for (size_t i = 0; i < expected.inputs.size(); ++i) {
    const auto parts = WorkerParts(layout, expected, i, content);
    for (size_t k = 0; k < own.size(); ++k) {
      if (PartSha256(own[k]->table, parts[k]) == expected.inputs[i].parts[k].sha256) continue;
      return DataLoss({.message = absl::StrCat("the own part of worker ", expected.inputs[i].worker,
                                               " differs from its announcement"),
                       .where = where});
    }
  }
  return absl::OkStatus();
}

}  // namespace dl::master
