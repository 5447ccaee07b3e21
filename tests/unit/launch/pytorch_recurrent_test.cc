// Imports weights of PyTorch's recurrent modules. Compares the network's outputs with the formulas
// of PyTorch's documentation (torch.nn.LSTM, GRU, RNN), computed in double.
#include "launch/import/pytorch_recurrent.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <map>

#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "launch/import/weights_import.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/network.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/rpc/fake_master.h"

namespace dl::launch {
namespace {

constexpr int kRnnUnits = 2, kRnnFeatures = 3, kRnnSteps = 4;

class KeptBlocks : public rpc::FakeMaster {
 public:
  KeptBlocks() {
    on_put_blocks = [this](const rpc::PutBlocksRequest& request) { bytes += request.bytes; };
  }
  StatusOr<rpc::MissingBlocksReply> MissingBlocks(const rpc::MissingBlocksRequest& request,
                                                  Duration) override {
    return rpc::MissingBlocksReply{.missing = request.sha256};
  }
  std::string bytes;
};

using Doubles = std::vector<double>;
double LogisticOf(double x) { return 1 / (1 + std::exp(-x)); }

// A single layer and direction of a module. The weights have the shape [gates * units, …].
struct RnnModule {
  Doubles weight_ih, weight_hh, bias_ih, bias_hh;
  double Ih(size_t row, const Doubles& x) const {
    return Product(weight_ih, row, x) + bias_ih[row];
  }
  double Hh(size_t row, const Doubles& h) const {
    return Product(weight_hh, row, h) + bias_hh[row];
  }

 private:
  static double Product(const Doubles& weight, size_t row, const Doubles& x) {
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i) sum += weight[row * x.size() + i] * x[i];
    return sum;
  }
};

class PyTorchRecurrent : public testing::Test {
 protected:
  // Draws random tensors of a module and adds them to the file.
  RnnModule Draw(int gates, int inputs, const std::string& end) {
    RnnModule module;
    for (const auto& [name, values, shape] :
         {std::tuple{"weight_ih", &module.weight_ih, std::vector<int>{gates * kRnnUnits, inputs}},
          {"weight_hh", &module.weight_hh, {gates * kRnnUnits, kRnnUnits}},
          {"bias_ih", &module.bias_ih, {gates * kRnnUnits}},
          {"bias_hh", &module.bias_hh, {gates * kRnnUnits}}}) {
      const int count = shape.size() == 2 ? shape[0] * shape[1] : shape[0];
      std::vector<float> floats;
      for (int i = 0; i < count; ++i) {
        floats.push_back(static_cast<float>(std::sin(1.3 * ++drawn_)));
        values->push_back(floats.back());
      }
      header_["rnn." + std::string(name) + end] = {
          {"dtype", "F32"},
          {"shape", shape},
          {"data_offsets", {content_.size(), content_.size() + floats.size() * sizeof(float)}}};
      content_.append(reinterpret_cast<const char*>(floats.data()), floats.size() * sizeof(float));
    }
    return module;
  }

  // Returns the outputs of the imported layers for kRnnSteps steps.
  std::vector<float> Computed(const nn::Sequential& layers, const std::vector<std::string>& names) {
    nn::Sequential sequential = layers;
    const auto model = sequential.Layer(nn::LossLayer(nn::MeanSquaredError())).Build();
    EXPECT_THAT(model, test::IsOk());
    const std::string header = header_.dump();
    const uint64_t size = header.size();
    const std::string length(reinterpret_cast<const char*>(&size), sizeof(size));
    job::SafetensorsWeights source;
    source.path = folder_.Write("w.safetensors", length + header + content_);
    source.names = names;
    KeptBlocks master;
    const auto imported = ImportWeights(source, *model, {}, master);
    EXPECT_THAT(imported, test::IsOk());
    auto network = nn::Network::Create(*model, {.max_batch = 0, .max_evaluation_batch = 1});
    EXPECT_THAT(network, test::IsOk());
    if (!imported.ok() || !network.ok()) return {};
    const SegmentTable& table = (*network)->table();
    std::vector<float> state(table.size());
    size_t at = 0;
    for (const std::string& tensor : imported->tensors) {
      const std::span<float> values = table.View(*table.Find(tensor), std::span(state));
      std::memcpy(values.data(), master.bytes.data() + at, values.size_bytes());
      at += values.size_bytes();
    }
    EXPECT_EQ(at, master.bytes.size());
    EXPECT_THAT((*network)->Load(state), test::IsOk());
    std::vector<float> features;
    for (const Doubles& x : Inputs()) features.insert(features.end(), x.begin(), x.end());
    const auto predicted = (*network)->Predict({.examples = 1, .features = features});
    EXPECT_THAT(predicted, test::IsOk());
    return {predicted->begin(), predicted->end()};
  }
  static std::vector<Doubles> Inputs() {
    std::vector<Doubles> steps(kRnnSteps, Doubles(kRnnFeatures));
    for (int t = 0; t < kRnnSteps; ++t)
      for (int i = 0; i < kRnnFeatures; ++i) steps[t][i] = std::cos(2.1 * t + i);
    return steps;
  }
  static void ExpectStates(const std::vector<float>& got, const std::vector<Doubles>& want) {
    ASSERT_EQ(got.size(), want.size() * want[0].size());
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(got[i], want[i / want[0].size()][i % want[0].size()], 1e-6) << i;
  }
  static nn::Sequential Start() {
    return std::move(nn::Sequential("m").Input(nn::Sequence(kRnnSteps, kRnnFeatures)));
  }

  test::TempFolder folder_;
  Json header_ = Json::object();
  std::string content_;
  int drawn_ = 0;
};

// The states of all steps. `next` gives value u of the state from the state before and the step's
// input.
std::vector<Doubles> StatesOf(
    const std::vector<Doubles>& inputs,
    const std::function<double(size_t u, const Doubles& before, const Doubles& x)>& next) {
  Doubles h(kRnnUnits);
  std::vector<Doubles> states;
  for (const Doubles& x : inputs) {
    const Doubles before = h;
    for (size_t u = 0; u < kRnnUnits; ++u) h[u] = next(u, before, x);
    states.push_back(h);
  }
  return states;
}

// i, f, g, o;  c' = f c + i g;  h' = o tanh(c')
std::vector<Doubles> LstmStates(const RnnModule& m, const std::vector<Doubles>& inputs) {
  Doubles c(kRnnUnits);
  return StatesOf(inputs, [&](size_t u, const Doubles& before, const Doubles& x) {
    const auto gate = [&](size_t k) {
      return m.Ih(k * kRnnUnits + u, x) + m.Hh(k * kRnnUnits + u, before);
    };
    c[u] = LogisticOf(gate(1)) * c[u] + LogisticOf(gate(0)) * std::tanh(gate(2));
    return LogisticOf(gate(3)) * std::tanh(c[u]);
  });
}

// n = tanh(W_in x + b_in + r (W_hn h + b_hn));  h' = (1 - z) n + z h
std::vector<Doubles> GruStates(const RnnModule& m, const std::vector<Doubles>& inputs) {
  return StatesOf(inputs, [&](size_t u, const Doubles& before, const Doubles& x) {
    const double r = LogisticOf(m.Ih(u, x) + m.Hh(u, before));
    const double z = LogisticOf(m.Ih(kRnnUnits + u, x) + m.Hh(kRnnUnits + u, before));
    const double n = std::tanh(m.Ih(2 * kRnnUnits + u, x) + r * m.Hh(2 * kRnnUnits + u, before));
    return (1 - z) * n + z * before[u];
  });
}

std::vector<Doubles> SimpleRnnStates(const RnnModule& m, const std::vector<Doubles>& inputs) {
  return StatesOf(inputs, [&](size_t u, const Doubles& before, const Doubles& x) {
    return std::tanh(m.Ih(u, x) + m.Hh(u, before));
  });
}

TEST_F(PyTorchRecurrent, LstmIsIndependentOfForgetBias) {
  const RnnModule module = Draw(4, kRnnFeatures, "_l0");
  const std::vector<Doubles> want = LstmStates(module, Inputs());
  for (const double forget_bias : {0.0, 1.0}) {
    nn::Sequential layers = Start();
    layers.Layer(nn::Lstm(kRnnUnits).ForgetBias(forget_bias).Name("rnn"));
    ExpectStates(Computed(layers, {}), want);
  }
}

TEST_F(PyTorchRecurrent, LayersOfModuleAreNumbered) {
  const RnnModule first = Draw(4, kRnnFeatures, "_l0"), second = Draw(4, kRnnUnits, "_l1");
  nn::Sequential layers = Start();
  layers.Layer(nn::Lstm(kRnnUnits).Name("lower")).Layer(nn::Lstm(kRnnUnits).Name("upper"));
  ExpectStates(Computed(layers, {"lower=rnn_l0", "upper=rnn_l1"}),
               LstmStates(second, LstmStates(first, Inputs())));
}

TEST_F(PyTorchRecurrent, BothDirectionsAreImported) {
  const RnnModule forward = Draw(4, kRnnFeatures, "_l0"),
                  backward = Draw(4, kRnnFeatures, "_l0_reverse");
  std::vector<Doubles> inputs = Inputs(), want = LstmStates(forward, inputs);
  std::reverse(inputs.begin(), inputs.end());
  const std::vector<Doubles> reversed = LstmStates(backward, inputs);
  for (int t = 0; t < kRnnSteps; ++t)
    want[t].insert(want[t].end(), reversed[kRnnSteps - 1 - t].begin(),
                   reversed[kRnnSteps - 1 - t].end());
  nn::Sequential layers = Start();
  layers.Layer(nn::Lstm(kRnnUnits).Bidirectional().Name("rnn"));
  ExpectStates(Computed(layers, {}), want);
}

TEST_F(PyTorchRecurrent, GruAndSimpleRnnMatchPyTorch) {
  struct Module {
    int gates;
    nn::LayerConf layer;
    std::vector<Doubles> (*states)(const RnnModule& module, const std::vector<Doubles>& inputs);
  };
  for (const Module& module : {Module{3, nn::Gru(kRnnUnits).Name("rnn"), GruStates},
                               Module{1, nn::SimpleRnn(kRnnUnits).Name("rnn"), SimpleRnnStates}}) {
    header_ = Json::object();
    content_.clear();
    const RnnModule drawn = Draw(module.gates, kRnnFeatures, "_l0");
    nn::Sequential layers = Start();
    layers.Layer(module.layer);
    ExpectStates(Computed(layers, {}), module.states(drawn, Inputs()));
  }
}

TEST(PyTorchSource, GruWithResetBeforeProductHasNone) {
  nn::LayerConfig layer;
  layer.conf = nn::Gru(2).ResetBefore();
  EXPECT_FALSE(PyTorchSource(layer, "bias", "rnn"));
  layer.conf = nn::Dense(2);
  EXPECT_FALSE(PyTorchSource(layer, "weight", "rnn"));
}

}  // namespace
}  // namespace dl::launch
