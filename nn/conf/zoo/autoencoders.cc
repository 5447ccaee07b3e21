// Networks that reconstruct their input through a narrow layer.
#include "nn/conf/zoo/zoo.h"

namespace dl::nn::zoo {

Sequential Autoencoder(const Task& task) {
  Sequential model = Sequential("autoencoder").WeightInit(XavierNormal()).Input(task.input);
  for (const int64_t units : {1000, 500, 250}) model.Layer(Dense(units).Activation(Relu()));
  model.Layer(Dense(30).Name("code"));
  for (const int64_t units : {250, 500, 1000}) model.Layer(Dense(units).Activation(Relu()));
  return model.Layer(Output(task.input.Elements()).Loss(BinaryCrossEntropy()).ComparedWithInput());
}

Sequential Vae(const Task& task) {
  constexpr int64_t kHidden = 500, kCode = 20;
  const int64_t values = task.input.Elements();
  return Sequential("vae")
      .Input(task.input)
      .Layer(Dense(kHidden).Activation(Tanh()))
      .Layer(Dense(2 * kCode).Name("distribution"))
      .Layer(GaussianSample(1.0 / static_cast<double>(values)).Name("code"))
      .Layer(Dense(kHidden).Activation(Tanh()))
      .Layer(Output(values).Loss(BinaryCrossEntropy()).ComparedWithInput());
}

}  // namespace dl::nn::zoo
