#include "nn/conf/layers/dropout.h"

#include "nn/conf/layers/registry.h"

namespace dl::nn {

void Dropout::Check(Mistakes& mistakes) const {
  if (probability >= 0 && probability <= 0.999999) return;
  mistakes.Add("the probability of dropping is " + Json(probability).dump(),
               "Choose a probability from 0 to 0.999999");
}

std::optional<InputType> Dropout::OutputType(const InputType& input, Mistakes&) const {
  return input;
}

void Dropout::WriteJson(Json& json) const { json["probability"] = probability; }

void Dropout::ReadJson(JsonObjectReader& reader) { reader.Double("probability", probability); }

std::vector<LayerSample> Dropout::Samples() {
  return {
      {Dropout(0.5), FeedForward(16)},
      {Dropout(0.25), Image(2, 3, 3)},
      {Dropout(0), FeedForward(5)},
  };
}

uint32_t DropThreshold(double probability) { return static_cast<uint32_t>(probability * 0x1.0p32); }

}  // namespace dl::nn
