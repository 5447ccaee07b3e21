#include "averaging/accumulator.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "averaging/float_environment.h"

namespace dl::averaging {
namespace {

double PowerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

template <typename Sum>
void Clear(std::vector<Sum>& sums, const Segment& segment) {
  std::fill_n(sums.begin() + segment.offset, segment.size, Sum{0});
}

}  // namespace

StatusOr<Accumulator> Accumulator::Create(SegmentTable table, GridExponents grid,
                                          int64_t weight_sum) {
  DL_RETURN_IF_ERROR(CheckMergeable(table));
  Accumulator accumulator(std::move(table));
  DL_RETURN_IF_ERROR(accumulator.Reset(std::move(grid), weight_sum));
  return accumulator;
}

Status Accumulator::Reset(GridExponents grid, int64_t weight_sum) {
  DL_RETURN_IF_ERROR(CheckGrid(table_, grid));
  if (weight_sum < 1 || weight_sum > kMaxWeightSum) {
    return InvalidArgument({.message = absl::StrCat("the sum of weights is ", weight_sum,
                                                    ", but must be from 1 to 2^53")});
  }
  grid_ = std::move(grid);
  weight_sum_ = weight_sum;
  const size_t narrow_size = wide() ? 0 : table_.size();
  const size_t wide_size = wide() ? table_.size() : 0;
  if (weight_added_ > 0 || narrow_.size() != narrow_size || wide_.size() != wide_size) {
    narrow_.assign(narrow_size, 0);
    wide_.assign(wide_size, 0);
  }
  weight_added_ = 0;
  missing_.assign(table_.segments().size(), 0);
  return absl::OkStatus();
}

StatusOr<std::vector<size_t>> Accumulator::Raise(const GridExponents& grid) {
  DL_RETURN_IF_ERROR(CheckGrid(table_, grid));
  std::vector<size_t> raised;
  for (size_t i = 0; i < grid.size(); ++i) {
    if (grid[i] < grid_[i])
      return InvalidArgument({.message = absl::StrCat("exponent ", grid[i],
                                                      " is below the round's exponent ", grid_[i]),
                              .where = absl::StrCat("segment ", table_.segments()[i].name)});
    if (grid[i] > grid_[i]) raised.push_back(i);
  }
  grid_ = grid;
  if (weight_added_ == 0) return raised;
  for (const size_t i : raised) {
    const Segment& segment = table_.segments()[i];
    wide() ? Clear(wide_, segment) : Clear(narrow_, segment);
    missing_[i] = weight_added_;
  }
  return raised;
}

Status Accumulator::AddMissing(std::span<const float> flat, int64_t weight,
                               std::span<const size_t> segments) {
  DL_ASSIGN_OR_RETURN(const Magnitudes magnitudes, MeasureMagnitudes(table_, flat));
  std::vector<bool> named(missing_.size());
  for (const size_t i : segments) {
    if (i >= missing_.size() || weight < 1 || weight > missing_[i])
      return InvalidArgument(
          {.message = absl::StrCat("no contribution of weight ", weight, " is missing")});
    if (named[i]) {
      return InvalidArgument(
          {.message = absl::StrCat("segment \"", table_.segments()[i].name, "\" is named twice")});
    }
    named[i] = true;
    DL_RETURN_IF_ERROR(CheckMagnitude(i, magnitudes[i]));
  }
  const FloatEnvironment environment;
  for (const size_t i : segments) {
    AddSegment(i, flat, weight);
    missing_[i] -= weight;
  }
  return absl::OkStatus();
}

Status Accumulator::CheckContribution(std::span<const float> flat,
                                      std::span<const double> announced) const {
  DL_ASSIGN_OR_RETURN(const Magnitudes magnitudes, MeasureMagnitudes(table_, flat));
  for (size_t i = 0; i < magnitudes.size(); ++i) {
    DL_RETURN_IF_ERROR(CheckMagnitude(i, magnitudes[i]));
    const std::string& name = table_.segments()[i].name;
    if (!announced.empty() &&
        (announced.size() != magnitudes.size() || announced[i] != magnitudes[i])) {
      return InvalidArgument(
          {.message = absl::StrCat("magnitude ", magnitudes[i], " of segment \"", name,
                                   "\" differs from the announced magnitude"),
           .where = absl::StrCat("segment ", name)});
    }
  }
  return absl::OkStatus();
}

Status Accumulator::CheckMagnitude(size_t segment, double magnitude) const {
  const double limit = grid_[segment] == kZeroSegment ? 0 : PowerOfTwo(grid_[segment]);
  if (magnitude == 0 || magnitude < limit) return absl::OkStatus();
  const std::string& name = table_.segments()[segment].name;
  return InvalidArgument(
      {.message = absl::StrCat("magnitude ", magnitude, " of segment \"", name, "\" is not below ",
                               limit, ", the limit of the round's grid"),
       .where = absl::StrCat("segment ", name),
       .remedy = "Announce a contribution's magnitudes before it is added"});
}

Status Accumulator::Add(std::span<const float> flat, int64_t weight,
                        std::span<const double> announced) {
  if (weight < 1 || weight > weight_sum_ - weight_added_) {
    return InvalidArgument(
        {.message = absl::StrCat("weight ", weight, " does not fit the round: ", weight_added_,
                                 " of ", weight_sum_, " are already added")});
  }
  DL_RETURN_IF_ERROR(CheckContribution(flat, announced));
  const FloatEnvironment environment;
  for (size_t i = 0; i < table_.segments().size(); ++i) AddSegment(i, flat, weight);
  weight_added_ += weight;
  return absl::OkStatus();
}

void Accumulator::AddSegment(size_t index, std::span<const float> flat, int64_t weight) {
  const Segment& segment = table_.segments()[index];
  const std::span<const float> values = table_.View(segment, flat);
  const int32_t exponent = grid_[index];
  const Term term = {.scale = exponent == kZeroSegment ? 0 : PowerOfTwo(kFractionBits - exponent),
                     .weight = weight};
  if (segment.kind == SegmentKind::kVariance) {
    const MomentsView moments = {.mean = table_.View(table_.segments()[index - 1], flat),
                                 .variance = values};
    wide() ? AddSecondMoment(moments, term, wide_.data() + segment.offset)
           : AddSecondMoment(moments, term, narrow_.data() + segment.offset);
  } else if (wide()) {
    AddWide(values, term, wide_.data() + segment.offset);
  } else {
    BestKernels().add(values, term, narrow_.data() + segment.offset);
  }
}

Status Accumulator::AddSums(std::span<const std::byte> sums, int64_t weight) {
  if (weight < 1 || weight > weight_sum_ - weight_added_) {
    return InvalidArgument(
        {.message = absl::StrCat("weight ", weight, " does not fit the round: ", weight_added_,
                                 " of ", weight_sum_, " are already added")});
  }
  if (wide() || sums.size() != narrow_.size() * sizeof(int64_t)) {
    return InvalidArgument({.message = absl::StrCat(
                                "a partial sum of ", sums.size(), " bytes does not fit a table of ",
                                table_.size(), wide() ? " wide values" : " values")});
  }
  // Copied piece by piece because the received bytes need not be aligned or of this type.
  constexpr size_t kPiece = 512;
  std::array<int64_t, kPiece> piece;
  const auto for_each_piece = [&](const auto& use) {
    for (size_t at = 0; at < narrow_.size(); at += kPiece) {
      const size_t n = std::min(kPiece, narrow_.size() - at);
      std::memcpy(piece.data(), sums.data() + at * sizeof(int64_t), n * sizeof(int64_t));
      if (!use(at, n)) return false;
    }
    return true;
  };
  const int64_t most = weight << kFractionBits;  // below 2^62
  const bool fits = for_each_piece([&](size_t, size_t n) {
    int64_t beyond = 0;
    for (size_t i = 0; i < n; ++i) beyond |= int64_t{piece[i] > most} | int64_t{piece[i] < -most};
    return beyond == 0;
  });
  if (!fits) {
    return InvalidArgument(
        {.message = absl::StrCat("a partial sum is larger than contributions of weight ", weight,
                                 " can be")});
  }
  for_each_piece([&](size_t at, size_t n) {
    MergeSums(piece.data(), static_cast<int64_t>(n), narrow_.data() + at);
    return true;
  });
  weight_added_ += weight;
  return absl::OkStatus();
}

bool Accumulator::HasMissing() const {
  return std::any_of(missing_.begin(), missing_.end(), [](int64_t weight) { return weight > 0; });
}

Quotient Accumulator::QuotientOf(size_t index) const {
  const int32_t exponent = grid_[index];
  return {.weight_sum = static_cast<double>(weight_sum_),
          .step = exponent == kZeroSegment ? 0 : PowerOfTwo(exponent - kFractionBits)};
}

Status Accumulator::Finish(std::span<const std::span<float>> out) const {
  // The destination of each segment.
  std::vector<std::span<float>> segments;
  int64_t begin = 0;  // offset of the stretch in the table
  auto stretch = out.begin();
  for (const Segment& segment : table_.segments()) {
    while (stretch != out.end() &&
           segment.offset == begin + static_cast<int64_t>(stretch->size()) && segment.size > 0) {
      begin += static_cast<int64_t>((stretch++)->size());
    }
    const int64_t at = segment.offset - begin;
    if (stretch == out.end() || at + segment.size > static_cast<int64_t>(stretch->size())) break;
    segments.push_back(stretch->subspan(at, segment.size));
  }
  int64_t room = 0;
  for (const std::span<float> each : out) room += static_cast<int64_t>(each.size());
  if (room != table_.size() || segments.size() != table_.segments().size()) {
    return InvalidArgument(
        {.message = absl::StrCat("the output has ", room, " values in ", out.size(),
                                 " ranges, but the table has ", table_.size(), " values")});
  }
  if (weight_added_ != weight_sum_) {
    return FailedPrecondition(
        {.message = absl::StrCat("only ", weight_added_, " of the total weight ", weight_sum_,
                                 " was added")});
  }
  if (HasMissing())
    return FailedPrecondition(
        {.message = "contributions are missing in a segment with a raised exponent"});
  const FloatEnvironment environment;
  for (size_t i = 0; i < segments.size(); ++i) {
    const Segment& segment = table_.segments()[i];
    if (segment.kind == SegmentKind::kVariance) {
      DL_RETURN_IF_ERROR(FinishVarianceSegment(i, segments[i]));
    } else if (wide()) {
      FinishWide(wide_.data() + segment.offset, QuotientOf(i), segments[i]);
    } else {
      BestKernels().finish(narrow_.data() + segment.offset, QuotientOf(i), segments[i]);
    }
  }
  return absl::OkStatus();
}

Status Accumulator::FinishVarianceSegment(size_t index, std::span<float> out) const {
  const Segment& segment = table_.segments()[index];
  const int64_t mean_offset = table_.segments()[index - 1].offset;
  const auto pool = [&](const auto& sums) {
    return FinishVariance({.mean = sums.data() + mean_offset,
                           .mean_quotient = QuotientOf(index - 1),
                           .second_moment = sums.data() + segment.offset,
                           .second_moment_quotient = QuotientOf(index)},
                          out);
  };
  const int64_t beyond = wide() ? pool(wide_) : pool(narrow_);
  if (beyond < 0) return absl::OkStatus();
  return InvalidArgument(
      {.message = absl::StrCat("the pooled variance of element ", beyond, " in segment \"",
                               segment.name, "\" is too large for float32"),
       .where = absl::StrCat("segment ", segment.name),
       .remedy = "Normalize the inputs, or lower the learning rate"});
}

}  // namespace dl::averaging
