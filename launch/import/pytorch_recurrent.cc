#include "launch/import/pytorch_recurrent.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace dl::launch {
namespace {

constexpr std::string_view kLayerMark = "_l";
constexpr std::string_view kBackward = "backward_";

// Returns where the number of a layer begins in "rnn_l1"; npos without a number.
size_t LayerNumberIn(const std::string& theirs) {
  const size_t mark = theirs.rfind(kLayerMark);
  if (mark == std::string::npos || mark == 0) return std::string::npos;
  const size_t number = mark + kLayerMark.size();
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool is_number =
      number < theirs.size() &&
      std::all_of(theirs.begin() + static_cast<std::ptrdiff_t>(number), theirs.end(), is_digit);
  return is_number ? number : std::string::npos;
}

}  // namespace

std::optional<std::string> ModuleOfLayer(const std::string& theirs) {
  const size_t number = LayerNumberIn(theirs);
  if (number == std::string::npos) return std::nullopt;
  return theirs.substr(0, number - kLayerMark.size());
}

std::optional<TensorSource> PyTorchSource(const nn::LayerConfig& layer, const std::string& tensor,
                                          const std::string& theirs) {
  const auto* const lstm = std::get_if<nn::Lstm>(&layer.conf);
  const auto* const gru = std::get_if<nn::Gru>(&layer.conf);
  const auto* const rnn = std::get_if<nn::SimpleRnn>(&layer.conf);
  if (lstm == nullptr && rnn == nullptr && (gru == nullptr || !gru->reset_after))
    return std::nullopt;
  const int64_t units = lstm != nullptr ? lstm->units : gru != nullptr ? gru->units : rnn->units;
  const std::string module = ModuleOfLayer(theirs).value_or(theirs);
  const size_t number = LayerNumberIn(theirs);
  const bool is_backward = tensor.starts_with(kBackward);
  const std::string mine = is_backward ? tensor.substr(kBackward.size()) : tensor;
  const auto called = [&](const char* name) {
    return absl::StrCat(module, ".", name, "_l",
                        number == std::string::npos ? "0" : theirs.substr(number),
                        is_backward ? "_reverse" : "");
  };
  if (mine == "weight") return TensorSource{.name = called("weight_ih")};
  if (mine == "recurrent_weight") return TensorSource{.name = called("weight_hh")};
  if (mine == "recurrent_bias" && gru != nullptr)
    return TensorSource{.name = called("bias_hh"), .first = 2 * units};
  if (mine != "bias") return std::nullopt;
  TensorSource bias{.name = called("bias_ih"), .added = called("bias_hh")};
  if (gru != nullptr) {
    bias.added_elements = 2 * units;  // the rest is the recurrent bias
  } else if (rnn != nullptr) {
    bias.added_elements = units;
  } else {
    bias.added_elements = 4 * units;
    bias.shift = -lstm->forget_bias;
    bias.shifted_first = bias.shifted_elements = units;
  }
  return bias;
}

}  // namespace dl::launch
