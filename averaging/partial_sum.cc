#include "averaging/partial_sum.h"

#include "absl/strings/str_cat.h"

namespace dl::averaging {
namespace {

int64_t SumBytes(const StateLayout& layout) {
  return layout.merged.size() * static_cast<int64_t>(sizeof(int64_t));
}

int64_t WorkerPartBytes(const StateLayout& layout) {
  return layout.worker.size() * static_cast<int64_t>(sizeof(float));
}

}  // namespace

int64_t PartialSumBytes(const StateLayout& layout, int64_t inputs) {
  return SumBytes(layout) + inputs * WorkerPartBytes(layout);
}

std::span<const std::byte> SumsOf(const StateLayout& layout, std::span<const std::byte> bytes) {
  return bytes.first(SumBytes(layout));
}

std::span<const std::byte> WorkerPartOf(const StateLayout& layout, int64_t input,
                                        std::span<const std::byte> bytes) {
  return bytes.subspan(SumBytes(layout) + input * WorkerPartBytes(layout), WorkerPartBytes(layout));
}

StatusOr<PartialSum> PartialSum::Create(const StateLayout& layout, GridExponents grid,
                                        int64_t weight_sum) {
  if (!MaySum(weight_sum)) {
    return InvalidArgument({.message = absl::StrCat("the weights' sum ", weight_sum,
                                                    " is too large for a partial sum")});
  }
  DL_ASSIGN_OR_RETURN(Accumulator accumulator,
                      Accumulator::Create(layout.merged, std::move(grid), weight_sum));
  return PartialSum(layout, std::move(accumulator));
}

Status PartialSum::Add(std::span<const float> unit_state, int64_t weight,
                       std::span<const double> announced) {
  if (static_cast<int64_t>(unit_state.size()) != layout_.unit.size()) {
    return InvalidArgument({.message = absl::StrCat("a contribution has ", unit_state.size(),
                                                    " values, its table ", layout_.unit.size())});
  }
  DL_RETURN_IF_ERROR(accumulator_.Add(unit_state.first(layout_.merged.size()), weight, announced));
  if (layout_.worker.size() > 0) {
    const std::span<const float> part = SplitUnitState(layout_, unit_state).worker;
    worker_parts_.emplace_back(part.begin(), part.end());
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
