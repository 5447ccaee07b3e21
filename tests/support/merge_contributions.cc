#include "tests/support/merge_contributions.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "averaging/accumulator.h"

namespace dl::test {

Status MergeContributions(const SegmentTable& table, std::span<const WeightedVector> contributions,
                          std::span<float> out) {
  using averaging::Accumulator, averaging::Magnitudes, averaging::Weights;
  DL_RETURN_IF_ERROR(averaging::CheckMergeable(table));
  std::vector<int64_t> examples;
  std::vector<Magnitudes> magnitudes;
  std::span<const float> last;
  for (const WeightedVector& contribution : contributions) {
    examples.push_back(contribution.examples);
    if (contribution.examples == 0) continue;
    DL_ASSIGN_OR_RETURN(magnitudes.emplace_back(),
                        averaging::MeasureMagnitudes(table, contribution.flat));
    last = contribution.flat;
  }
  DL_ASSIGN_OR_RETURN(const Weights weights, averaging::NormalizeWeights(examples));
  if (static_cast<int64_t>(out.size()) != table.size()) {
    return InvalidArgument(
        {.message = absl::StrCat("the output has ", out.size(), " values, but the table has ",
                                 table.size(), " values")});
  }
  if (magnitudes.size() == 1) {
    std::ranges::copy(last, out.begin());
    return absl::OkStatus();
  }
  DL_ASSIGN_OR_RETURN(
      Accumulator accumulator,
      Accumulator::Create(table, averaging::GridFor(table, magnitudes), weights.sum));
  for (size_t i = 0; i < contributions.size(); ++i) {
    if (weights.weight[i] == 0) continue;
    DL_RETURN_IF_ERROR(accumulator.Add(contributions[i].flat, weights.weight[i]));
  }
  return accumulator.Finish(out);
}

}  // namespace dl::test
