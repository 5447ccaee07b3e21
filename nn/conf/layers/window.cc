#include "nn/conf/layers/window.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/limits.h"

namespace dl::nn {
namespace {

struct Axis {
  std::string_view name;
  int64_t kernel, dilation, reach, padding;
};

void CheckAxis(const Axis& axis, Mistakes& mistakes) {
  const auto in_range = [](int64_t value) { return value >= 1 && value <= limits::kMaxWindow; };
  if (!in_range(axis.kernel) || !in_range(axis.dilation)) return;  // already reported
  if (axis.reach > limits::kMaxWindow) {
    mistakes.Add(absl::StrCat("a kernel's ", std::string(axis.name), " of ", axis.kernel,
                              " with a dilation of ", axis.dilation, " reaches over ", axis.reach,
                              " pixels"),
                 absl::StrCat("Choose a smaller dilation: a window reaches over ",
                              limits::kMaxWindow, " pixels at most"));
    return;
  }
  if (axis.padding < axis.reach || axis.padding >= limits::kMaxWindow) return;
  mistakes.Add(absl::StrCat("the padding's ", std::string(axis.name), " is ", axis.padding,
                            " for a kernel of ", axis.kernel),
               axis.dilation == 1
                   ? "Choose a padding from 0 to the kernel less 1"
                   : absl::StrCat("Choose a padding from 0 to ", axis.reach - 1,
                                  ": the dilated kernel reaches over ", axis.reach, " pixels"));
}

// Returns the padding that "same" adds to `in`, both sides together.
int64_t SamePadding(int64_t in, int64_t reach, int64_t stride) {
  const int64_t outputs = (in - 1) / stride + 1;
  return std::max<int64_t>(0, (outputs - 1) * stride + reach - in);
}

// Returns the padding after `in` that contains the end of the last window of ceil_mode.
int64_t PaddingAfterForCeilMode(int64_t in, int64_t reach, int64_t stride, int64_t padding) {
  const int64_t steps = std::max<int64_t>(0, in + 2 * padding - reach + stride - 1) / stride;
  const int64_t last = steps * stride < in + padding ? steps : steps - 1;
  return std::max(padding, last * stride + reach - in - padding);
}

template <AnExtent Extent>
std::vector<int64_t> ListOf(const Extent& extent) {
  std::vector<int64_t> list;
  for (const auto axis : Extent::kAxes) list.push_back(extent.*axis);
  return list;
}

// "[height, width]"
template <AnExtent Extent>
std::string NamesOf() {
  std::vector<std::string> names(Extent::kNames.begin(), Extent::kNames.end());
  return absl::StrCat("[", absl::StrJoin(names, ", "), "]");
}

// "3x3"
template <AnExtent Extent>
std::string TextOf(const Extent& extent) {
  return absl::StrJoin(ListOf(extent), "x");
}

}  // namespace

template <AnExtent Extent>
Json ToJson(const Extent& extent) {
  return ListOf(extent);
}

template <AnExtent Extent>
void ReadValue(JsonObjectReader& reader, std::string_view key, Extent& out) {
  const Json* json = reader.Child(key);
  if (json == nullptr) return;
  if (json->is_number()) {
    int64_t all = 0;
    reader.Int(key, all);
    out = ExtentOf<Extent>(all);
    return;
  }
  std::vector<int64_t> list;
  const size_t errors = reader.errors().size();
  reader.IntList(key, list);
  if (reader.errors().size() != errors) return;
  if (list.size() != Extent::kAxes.size()) {
    reader.AddError(key,
                    absl::StrCat("must be ", NamesOf<Extent>(), ", has ", list.size(), " numbers"));
    return;
  }
  for (size_t i = 0; i < list.size(); ++i) out.*Extent::kAxes[i] = list[i];
}

template <AnExtent Extent>
void CheckValue(const Field& field, const Extent& extent, Mistakes& mistakes) {
  for (size_t i = 0; i < Extent::kAxes.size(); ++i) {
    mistakes.Range(absl::StrCat(std::string(field.what), " ", std::string(Extent::kNames[i])),
                   extent.*Extent::kAxes[i], static_cast<int64_t>(field.min),
                   static_cast<int64_t>(field.max));
  }
}

template <AnExtent Extent>
void DescribeValue(const Field& field, const Extent& extent, std::vector<KeyRow>& rows) {
  rows.push_back(RowOf(field, KeyType::kIntegerList, ToJson(extent)));
}

template <AnExtent Extent>
Json ToJson(const PaddingOf<Extent>& padding) {
  return padding.same ? Json(std::string(kSamePadding)) : ToJson(padding.size);
}

template <AnExtent Extent>
void ReadValue(JsonObjectReader& reader, std::string_view key, PaddingOf<Extent>& out) {
  const Json* json = reader.Child(key);
  if (json == nullptr) return;
  if (!json->is_string()) {
    out.same = false;
    ReadValue(reader, key, out.size);
    return;
  }
  std::string word;
  reader.String(key, word);
  if (word == kSamePadding) {
    out = {.same = true};
  } else {
    reader.AddError(
        key, absl::StrCat("must be one number for all, ", NamesOf<Extent>(), " or \"same\""));
  }
}

template <AnExtent Extent>
void CheckValue(const Field& field, const PaddingOf<Extent>& padding, Mistakes& mistakes) {
  CheckValue(field, padding.size, mistakes);
}

template <AnExtent Extent>
void DescribeValue(const Field& field, const PaddingOf<Extent>& padding,
                   std::vector<KeyRow>& rows) {
  rows.push_back(RowOf(field, KeyType::kIntegerList, ToJson(padding)));
  rows.back().choices = kSamePadding;
}

template <AnExtent Extent>
void WindowOf<Extent>::Check(Mistakes& mistakes) const {
  const Extent reach = Reach();
  for (size_t i = 0; i < Extent::kAxes.size(); ++i) {
    const auto axis = Extent::kAxes[i];
    CheckAxis({.name = Extent::kNames[i],
               .kernel = kernel.*axis,
               .dilation = dilation.*axis,
               .reach = reach.*axis,
               .padding = padding.size.*axis},
              mistakes);
  }
  if (ceil_mode && padding.same) {
    mistakes.Add("ceil_mode has no effect with the padding \"same\"",
                 "Leave out one of the two; \"same\" already rounds up");
  }
}

template <AnExtent Extent>
Extent WindowOf<Extent>::Reach() const {
  return EachAxis([](int64_t size, int64_t gap) { return (size - 1) * gap + 1; }, kernel, dilation);
}

template <AnExtent Extent>
typename WindowOf<Extent>::Borders WindowOf<Extent>::BordersOf(const InputType& input) const {
  if (!padding.same && !ceil_mode) return {.before = padding.size, .after = padding.size};
  if (!padding.same) {
    return {.before = padding.size,
            .after = EachAxis(PaddingAfterForCeilMode, Extent::Of(input), Reach(), stride,
                              padding.size)};
  }
  const Extent both = EachAxis(SamePadding, Extent::Of(input), Reach(), stride);
  return {.before = EachAxis([](int64_t all) { return all / 2; }, both),
          .after = EachAxis([](int64_t all) { return all - all / 2; }, both)};
}

template <AnExtent Extent>
std::optional<Extent> WindowOf<Extent>::OutputExtent(const InputType& input,
                                                     Mistakes& mistakes) const {
  const Extent reach = Reach();
  const Borders borders = BordersOf(input);
  const Extent padded =
      EachAxis([](int64_t in, int64_t before, int64_t after) { return in + before + after; },
               Extent::Of(input), borders.before, borders.after);
  const bool fits = std::ranges::all_of(
      Extent::kAxes, [&](const auto axis) { return reach.*axis <= padded.*axis; });
  if (!fits) {
    mistakes.Add(absl::StrCat("a kernel of ", TextOf(reach),
                              dilation == ExtentOf<Extent>(1) ? "" : ", dilated,",
                              " does not fit the padded input of ", TextOf(padded), " (",
                              Describe(input), ")"),
                 "Use a smaller kernel, more padding, or less pooling before it");
    return std::nullopt;
  }
  return EachAxis([](int64_t in, int64_t over, int64_t step) { return (in - over) / step + 1; },
                  padded, reach, stride);
}

template <AnExtent Extent>
int64_t WindowOf<Extent>::Taps() const {
  int64_t taps = 1;  // no overflow: each extent is at most kMaxWindow
  for (const auto axis : Extent::kAxes)
    taps = std::min(taps * (kernel.*axis), limits::kMaxParameters);
  return taps;
}

template struct WindowOf<Extent2D>;
template struct WindowOf<Extent3D>;

#define DL_FUNCTIONS_OF(Type)                                          \
  template Json ToJson(const Type&);                                   \
  template void ReadValue(JsonObjectReader&, std::string_view, Type&); \
  template void CheckValue(const Field&, const Type&, Mistakes&);      \
  template void DescribeValue(const Field&, const Type&, std::vector<KeyRow>&)
DL_FUNCTIONS_OF(Extent2D);
DL_FUNCTIONS_OF(Extent3D);
DL_FUNCTIONS_OF(PaddingOf<Extent2D>);
DL_FUNCTIONS_OF(PaddingOf<Extent3D>);
#undef DL_FUNCTIONS_OF

}  // namespace dl::nn
