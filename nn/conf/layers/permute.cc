#include "nn/conf/layers/permute.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {
namespace {

bool IsOrder(const std::vector<int64_t>& axes) {
  std::vector<int64_t> all(axes.size());
  std::iota(all.begin(), all.end(), 1);
  return std::ranges::is_permutation(axes, all);
}

}  // namespace

void Permute::Check(Mistakes& mistakes) const {
  for (const int64_t axis : axes) mistakes.Range("an axis", axis, 1, 4);
  if (axes.size() >= 2 && axes.size() <= 4 && IsOrder(axes)) return;
  mistakes.Add(absl::StrCat("its axes are [", absl::StrJoin(axes, ", "), "]"),
               "Give each axis once: 1 and 2 for sequences, 1 to 3 for images, 1 to 4 for volumes");
}

std::optional<InputType> Permute::OutputType(const InputType& input, Mistakes& mistakes) const {
  if (!IsOrder(axes)) return std::nullopt;  // Check has already reported the mistake
  const std::vector<int64_t> extents = input.Shape();
  if (extents.size() != axes.size() || extents.size() < 2) {
    mistakes.Add(absl::StrCat("orders ", axes.size(), " axes, but its input is ", Describe(input)),
                 extents.size() < 2 ? "Put it after a layer with sequences, images or volumes"
                                    : absl::StrCat("State ", extents.size(), " axes"));
    return std::nullopt;
  }
  const auto of = [&](size_t i) { return extents[axes[i] - 1]; };
  if (input.IsVolume()) return Volume(of(0), of(1), of(2), of(3));
  return input.IsSequence() ? Sequence(of(0), of(1)) : Image(of(0), of(1), of(2));
}

std::vector<LayerSample> Permute::Samples() {
  return {
      {Permute({2, 1}), Sequence(4, 3)},           {Permute({1, 2}), Sequence(3, 5)},
      {Permute({2, 3, 1}), Image(2, 3, 4)},        {Permute({3, 1, 2}), Image(17, 2, 3)},
      {Permute({1, 3, 2}), Image(3, 4, 2)},        {Permute({3, 2, 1}), Image(2, 1, 5)},
      {Permute({3, 1, 4, 2}), Volume(2, 3, 4, 5)},
  };
}

}  // namespace dl::nn
