#include "averaging/partial_sum.h"

#include "absl/strings/str_cat.h"

namespace dl::averaging {
namespace {

int64_t SumBytes(const StateLayout& layout) {
  return layout.merged.size() * static_cast<int64_t>(sizeof(int64_t));
}

}  // namespace

int64_t PartialSumBytes(const StateLayout& layout, int64_t inputs) {
  return SumBytes(layout) + inputs * layout.WorkerBytes();
}

std::span<const std::byte> SumsOf(const StateLayout& layout, std::span<const std::byte> bytes) {
  return bytes.first(SumBytes(layout));
}

std::vector<std::span<const std::byte>> WorkerPartsOf(const StateLayout& layout, int64_t input,
                                                      std::span<const std::byte> bytes) {
  std::vector<std::span<const std::byte>> parts;
  int64_t at = SumBytes(layout) + input * layout.WorkerBytes();
  for (const PartLayout* part : layout.PartsWith(PartScope::kWorker)) {
    parts.push_back(bytes.subspan(at, part->bytes()));
    at += part->bytes();
  }
  return parts;
}

StatusOr<PartialSum> PartialSum::Create(const StateLayout& layout, GridExponents grid,
                                        int64_t weight_sum) {
  if (!MaySum(weight_sum)) {
    return InvalidArgument({.message = absl::StrCat("the sum of weights, ", weight_sum,
                                                    ", is too large for a partial sum")});
  }
  DL_ASSIGN_OR_RETURN(Accumulator accumulator,
                      Accumulator::Create(layout.merged, std::move(grid), weight_sum));
  return PartialSum(layout, std::move(accumulator));
}

Status PartialSum::Add(std::span<const float> contribution, int64_t weight,
                       std::span<const double> announced) {
  if (static_cast<int64_t>(contribution.size()) != layout_.unit.size()) {
    return InvalidArgument(
        {.message = absl::StrCat("a contribution has ", contribution.size(),
                                 " values, but its table has ", layout_.unit.size())});
  }
  DL_RETURN_IF_ERROR(
      accumulator_.Add(contribution.first(layout_.merged.size()), weight, announced));
  for (const PartLayout* part : layout_.PartsWith(PartScope::kWorker)) {
    const std::span<const float> own = part->In(contribution);
    worker_parts_.emplace_back(own.begin(), own.end());
  }
  return absl::OkStatus();
}

std::vector<std::span<const std::byte>> PartialSum::pieces() const {
  std::vector<std::span<const std::byte>> pieces = {std::as_bytes(accumulator_.sums())};
  for (const std::vector<float>& part : worker_parts_)
    pieces.push_back(std::as_bytes(std::span(part)));
  return pieces;
}

}  // namespace dl::averaging
