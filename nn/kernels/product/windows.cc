#include "nn/kernels/product/windows.h"

#include <algorithm>

namespace dl::nn {
namespace {

// Positions along one axis that have the same taps, at the same distances from a base.
struct AxisClass {
  struct Tap {
    int64_t tap = 0, offset = 0;
    bool operator==(const Tap&) const = default;
  };
  struct Position {
    int64_t position = 0, base = 0;
  };
  std::vector<Tap> taps;
  std::vector<Position> positions;
};

// Returns the taps of a position, with the places that they meet as offsets.
std::vector<AxisClass::Tap> TapsAt(const WindowAxis& axis, WindowDirection direction,
                                   int64_t position) {
  std::vector<AxisClass::Tap> taps;
  for (int64_t tap = 0; tap < axis.kernel; ++tap) {
    if (direction == WindowDirection::kToOutputs) {
      const int64_t in = position * axis.stride + tap * axis.dilation - axis.pad;
      if (in >= 0 && in < axis.in) taps.push_back({tap, in});
    } else {
      const int64_t strides = position + axis.pad - tap * axis.dilation;
      if (strides < 0 || strides % axis.stride != 0) continue;
      if (strides / axis.stride < axis.out) taps.push_back({tap, strides / axis.stride});
    }
  }
  return taps;
}

std::vector<AxisClass> ClassesOf(const WindowAxis& axis, WindowDirection direction) {
  std::vector<AxisClass> classes;
  const int64_t positions = direction == WindowDirection::kToOutputs ? axis.out : axis.in;
  for (int64_t position = 0; position < positions; ++position) {
    std::vector<AxisClass::Tap> taps = TapsAt(axis, direction, position);
    const int64_t base = taps.empty() ? 0 : taps.front().offset;
    for (AxisClass::Tap& tap : taps) tap.offset -= base;
    auto found = std::ranges::find(classes, taps, &AxisClass::taps);
    if (found == classes.end()) found = classes.insert(found, {.taps = taps});
    found->positions.push_back({position, base});
  }
  return classes;
}

struct Extents {
  int64_t depth = 1, height = 1, width = 1;
  int64_t At(int64_t d, int64_t h, int64_t w) const { return (d * height + h) * width + w; }
};
Extents Inputs(const WindowAxes& axes) { return {axes[0].in, axes[1].in, axes[2].in}; }
Extents Outputs(const WindowAxes& axes) { return {axes[0].out, axes[1].out, axes[2].out}; }
Extents Taps(const WindowAxes& axes) { return {axes[0].kernel, axes[1].kernel, axes[2].kernel}; }

// The first output at which a tap meets the input, and the end of these outputs.
IndexRange OutputsAt(const WindowAxis& axis, int64_t tap) {
  IndexRange range{axis.out, axis.out};
  for (int64_t out = 0; out < axis.out; ++out) {
    const int64_t in = out * axis.stride + tap * axis.dilation - axis.pad;
    if (in < 0) continue;
    if (in >= axis.in) {
      range.end = out;
      break;
    }
    range.begin = std::min(range.begin, out);
  }
  range.begin = std::min(range.begin, range.end);
  return range;
}

}  // namespace

int64_t TapsOf(const WindowAxes& axes) { return axes[0].kernel * axes[1].kernel * axes[2].kernel; }
int64_t InputsOf(const WindowAxes& axes) { return axes[0].in * axes[1].in * axes[2].in; }
int64_t OutputsOf(const WindowAxes& axes) { return axes[0].out * axes[1].out * axes[2].out; }

std::vector<RowClass> RowClassesOf(const WindowAxes& axes, WindowDirection direction,
                                   int64_t source_pixel, int64_t result_pixel) {
  const bool to_outputs = direction == WindowDirection::kToOutputs;
  const Extents taps = Taps(axes);
  const Extents source = to_outputs ? Inputs(axes) : Outputs(axes);
  const Extents result = to_outputs ? Outputs(axes) : Inputs(axes);
  std::array<std::vector<AxisClass>, 3> of_axis;
  for (size_t i = 0; i < axes.size(); ++i) of_axis[i] = ClassesOf(axes[i], direction);
  std::vector<RowClass> classes;
  for (const AxisClass& d : of_axis[0]) {
    for (const AxisClass& h : of_axis[1]) {
      for (const AxisClass& w : of_axis[2]) {
        RowClass& rows = classes.emplace_back();
        for (const auto& td : d.taps)
          for (const auto& th : h.taps)
            for (const auto& tw : w.taps)
              rows.taps.push_back(
                  {.tap = taps.At(td.tap, th.tap, tw.tap),
                   .source = source.At(td.offset, th.offset, tw.offset) * source_pixel});
        for (const auto& pd : d.positions)
          for (const auto& ph : h.positions)
            for (const auto& pw : w.positions)
              rows.rows.push_back(
                  {.source = source.At(pd.base, ph.base, pw.base) * source_pixel,
                   .result = result.At(pd.position, ph.position, pw.position) * result_pixel});
      }
    }
  }
  return classes;
}

std::vector<std::vector<TapRow>> TapRowsOf(const WindowAxes& axes, int64_t input_pixel) {
  const Extents inputs = Inputs(axes), outputs = Outputs(axes), taps = Taps(axes);
  const auto input = [&](int axis, int64_t out, int64_t tap) {
    return out * axes[axis].stride + tap * axes[axis].dilation - axes[axis].pad;
  };
  std::vector<std::vector<TapRow>> all;
  for (int64_t d = 0; d < taps.depth; ++d) {
    for (int64_t h = 0; h < taps.height; ++h) {
      for (int64_t w = 0; w < taps.width; ++w) {
        std::vector<TapRow>& rows = all.emplace_back();
        const IndexRange deep = OutputsAt(axes[0], d), high = OutputsAt(axes[1], h),
                         wide = OutputsAt(axes[2], w);
        if (wide.size() == 0) continue;
        for (int64_t i = deep.begin; i < deep.end; ++i) {
          for (int64_t j = high.begin; j < high.end; ++j) {
            rows.push_back(
                {.first = outputs.At(i, j, wide.begin),
                 .last = outputs.At(i, j, wide.end),
                 .source = inputs.At(input(0, i, d), input(1, j, h), input(2, wide.begin, w)) *
                           input_pixel});
          }
        }
      }
    }
  }
  return all;
}

}  // namespace dl::nn
