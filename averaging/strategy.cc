#include "averaging/strategy.h"

#include "absl/strings/str_cat.h"

namespace dl::averaging {

StatusOr<Magnitudes> Strategy::Measure(std::span<const float> contribution) const {
  if (static_cast<int64_t>(contribution.size()) != layout_.unit.size()) {
    return InvalidArgument(
        {.message = absl::StrCat("a contribution has ", contribution.size(),
                                 " values, but its table has ", layout_.unit.size())});
  }
  // Checks all values, also those that are not merged: a worker trains on the updater state that it
  // keeps as it does on parameters.
  DL_ASSIGN_OR_RETURN(Magnitudes magnitudes, MeasureMagnitudes(layout_.unit, contribution));
  magnitudes.resize(layout_.merged.segments().size());
  return magnitudes;
}

StatusOr<Weights> Strategy::WeightsOf(std::span<const int64_t> examples) const {
  return NormalizeWeights(examples);
}

void Strategy::Raise(GridExponents& grid, std::span<const double> magnitudes) const {
  RaiseGrid(grid, magnitudes);
}

}  // namespace dl::averaging
