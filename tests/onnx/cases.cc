#include "tests/onnx/cases.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "nn/conf/kinds.h"
#include "nn/conf/sequential.h"
#include "nn/conf/zoo/zoo.h"
#include "tests/gradient/building.h"
#include "tests/gradient/models.h"

namespace dl::onnx_test {
namespace {

using namespace nn;  // NOLINT: this file is all builders

Output Classes() { return Output(3).Loss(SoftmaxCrossEntropy()); }

Sequential Varying(int64_t features) {
  return Sequential("sequences").Input(VariableSequence(9, features));
}

std::vector<OnnxCase> VaryingLengths() {
  std::vector<OnnxCase> cases;
  const auto add = [&](std::string name, const Sequential& model) {
    cases.push_back({.name = absl::StrCat("lengths: ", name), .model = gradient::Build(model)});
  };
  for (const bool last : {false, true}) {
    const auto state = [&](auto cell) { return last ? cell.LastState() : cell; };
    const std::string end = last ? ", last state" : "";
    add("lstm" + end, Varying(3).Layer(state(Lstm(4))).Layer(Classes()));
    add("backward lstm" + end, Varying(3).Layer(state(Lstm(4).Backward())).Layer(Classes()));
    add("gru both ways" + end, Varying(3).Layer(state(Gru(4).Bidirectional())).Layer(Classes()));
    add("rnn both ways, summed" + end,
        Varying(3).Layer(state(SimpleRnn(4).Bidirectional(StateMerge::kSum))).Layer(Classes()));
    add("rnn of gelu, both ways" + end,
        Varying(3).Layer(state(SimpleRnn(4).Activation(Gelu()).Bidirectional())).Layer(Classes()));
    add("rnn of softplus, backward" + end,
        Varying(3).Layer(state(SimpleRnn(4).Activation(Softplus()).Backward())).Layer(Classes()));
  }
  add("attention", Varying(1)
                       .Layer(Embedding(7, 4))
                       .Layer(PositionalEmbedding())
                       .Layer(SelfAttention(2))
                       .Layer(SelfAttention(1).Causal())
                       .Layer(LastStep())
                       .Layer(Classes()));
  add("global pooling", Varying(4)
                            .Layer(Dense(4).Activation(Tanh()).Name("a"))
                            .Layer(GlobalAvgPool1D().Name("mean"))
                            .Layer(GlobalMaxPool1D().Inputs({"a"}).Name("largest"))
                            .Layer(Concat().Inputs({"mean", "largest"}))
                            .Layer(Classes()));
  add("convolutions", Varying(4)
                          .Layer(Conv1D(4).Kernel(3).SamePadding().Activation(Sigmoid()))
                          .Layer(Conv1D(3).Kernel(2).Dilation(2).Causal())
                          .Layer(Conv1D(4).Kernel(3).Stride(2).Padding(1))
                          .Layer(Conv1D(4).Kernel(4).Stride(2).SamePadding())
                          .Layer(Output(3).Loss(Ctc())));
  add("pooling",
      Varying(4)
          .Layer(MaxPool1D(3).Stride(2).Padding(1).Name("largest"))
          .Layer(AvgPool1D(3).Stride(2).Padding(1).CountPadding().Inputs({"input"}).Name("all"))
          .Layer(AvgPool1D(3).Stride(2).Padding(1).Inputs({"input"}).Name("mean"))
          .Layer(Concat().Inputs({"largest", "all", "mean"}))
          .Layer(AvgPool1D(2).CeilMode())
          .Layer(MaxPool1D(3).Stride(2).CeilMode())
          .Layer(GlobalAvgPool1D())
          .Layer(Classes()));
  add("normalization", Varying(4)
                           .Layer(BatchNorm())
                           .Layer(LayerNorm())
                           .Layer(RmsNorm())
                           .Layer(L2Normalize())
                           .Layer(PRelu())
                           .Layer(Classes()));
  add("ctc", Varying(3).Layer(Gru(3)).Layer(Output(3).Loss(Ctc())));
  return cases;
}

// Each activation of values up to 20, where the limits of bounded functions apply.
std::vector<OnnxCase> WideActivations() {
  std::vector<OnnxCase> cases;
  for (const ActivationConf& activation : DefaultsOf(static_cast<ActivationConf*>(nullptr))) {
    cases.push_back({.name = absl::StrCat("wide: ", std::string(TagOf(activation))),
                     .model = gradient::Build(Sequential("wide")
                                                  .Input(FeedForward(12))
                                                  .Layer(Dense(12))
                                                  .Layer(ScaleShift().Factor(9))
                                                  .Layer(ActivationLayer(activation))
                                                  .Layer(LossLayer(MeanSquaredError())))});
  }
  return cases;
}

// Options of layers that no sample combines.
std::vector<OnnxCase> Options() {
  std::vector<OnnxCase> cases;
  const auto add = [&](std::string name, const Sequential& model) {
    cases.push_back({.name = absl::StrCat("options: ", name), .model = gradient::Build(model)});
  };
  for (const bool average : {false, true}) {
    const auto pool = [&](auto max, auto avg) -> LayerConf {
      if (average) return avg;
      return max;
    };
    const std::string name = average ? "mean" : "largest";
    const auto image = [&](std::string how, const LayerConf& layer) {
      add(absl::StrCat(name, " of an image, ", how),
          Sequential("pool").Input(Image(2, 7, 8)).Layer(layer).Layer(Classes()));
    };
    image("ceil_mode", pool(MaxPool2D(3).Stride(2).CeilMode(), AvgPool2D(3).Stride(2).CeilMode()));
    image("ceil_mode with padding", pool(MaxPool2D(3).Stride(3).Padding(1).CeilMode(),
                                         AvgPool2D(3).Stride(3).Padding(1).CeilMode()));
    image("same", pool(MaxPool2D(4).Stride(3).SamePadding(), AvgPool2D(4).Stride(3).SamePadding()));
    image("same with a stride above the kernel",
          pool(MaxPool2D(2).Stride(3).SamePadding(), AvgPool2D(2).Stride(3).SamePadding()));
    image("to 3x5", pool(AdaptiveMaxPool2D(3, 5), AdaptiveAvgPool2D(3, 5)));
    image("to a larger image", pool(AdaptiveMaxPool2D(9, 8), AdaptiveAvgPool2D(9, 8)));
    add(absl::StrCat(name, " of a volume, ceil_mode"),
        Sequential("pool")
            .Input(Volume(2, 5, 7, 6))
            .Layer(pool(MaxPool3D(3, 2, 2).Stride(2).Padding(1, 0, 1).CeilMode(),
                        AvgPool3D(3, 2, 2).Stride(2).Padding(1, 0, 1).CeilMode()))
            .Layer(Classes()));
    add(absl::StrCat(name, " of steps, ceil_mode"),
        Sequential("pool")
            .Input(Sequence(8, 3))
            .Layer(pool(MaxPool1D(3).Stride(2).Padding(1).CeilMode(),
                        AvgPool1D(3).Stride(2).Padding(1).CeilMode()))
            .Layer(Classes()));
  }
  add("padding that counts", Sequential("pool")
                                 .Input(Image(2, 7, 8))
                                 .Layer(AvgPool2D(4).Stride(3).SamePadding().CountPadding())
                                 .Layer(Classes()));
  add("transposed convolution, groups and same",
      Sequential("up")
          .Input(Image(4, 3, 4))
          .Layer(TransposedConv2D(6).Kernel(3, 4).Stride(2, 3).Groups(2).SamePadding())
          .Layer(TransposedConv2D(4).Kernel(2).Stride(3).SamePadding())
          .Layer(Classes()));
  add("enlarged image", Sequential("up")
                            .Input(Image(2, 3, 4))
                            .Layer(Upsample2D(3, 2))
                            .Layer(Conv2D(2))
                            .Layer(Classes()));
  add("depthwise convolution", Sequential("deep")
                                   .Input(Image(4, 6, 5))
                                   .Layer(Conv2D(8).Groups(4).Stride(2, 1).SamePadding())
                                   .Layer(Classes()));
  return cases;
}

// Returns the task of a model of the zoo with a small input.
zoo::Task SmallTask(const zoo::ZooModel& model) {
  const InputType& input = model.published.input;
  if (input.IsSequence()) return {Sequence(12, 1), 30};
  if (!input.IsImage()) return model.published;
  // AlexNet needs larger images than the others.
  const int64_t side = model.name == "alexnet" ? 67 : std::min<int64_t>(input.height, 32);
  return {Image(input.channels, side, side), 10};
}

std::vector<OnnxCase> SmallZoo() {
  std::vector<OnnxCase> cases;
  const auto add = [&](const zoo::ZooModel& model, const zoo::Task& task, std::string end = "") {
    cases.push_back({.name = absl::StrCat("zoo: ", std::string(model.name), end),
                     .model = gradient::Build(model.make(task))});
  };
  for (const zoo::ZooModel& model : zoo::ZooModels()) {
    add(model, SmallTask(model));
    // Large images get other first layers.
    const bool differs = model.name == "resnet18" || model.name == "mobilenet";
    if (differs) add(model, {Image(3, 72, 72), 10}, ", large");
  }
  return cases;
}

dataset::FeatureColumn Column(std::string name, dataset::ColumnEncoding encoding,
                              std::vector<std::string> categories = {}) {
  return {.name = std::move(name), .encoding = encoding, .categories = std::move(categories)};
}

// A table with each kind of column, and numbers to predict.
OnnxCase Table() {
  using Encoding = dataset::ColumnEncoding;
  constexpr int64_t kFeatures = 15;
  dataset::FloatFeatures features;
  features.columns = {Column("age", Encoding::kNumber),
                      Column("work", Encoding::kOneHot, {"self", "state", "état"}),
                      Column("day", Encoding::kNumber),
                      Column("size", Encoding::kIndex, {"", "L", "S"}),
                      Column("work", Encoding::kOneHot, {"no", "yes"}),
                      Column("born", Encoding::kDate),
                      Column("", Encoding::kDateParts)};
  features.columns[0].fill_number = 38.5;
  features.columns[1].fill_category = "state";
  features.columns[3].fill_category = "";
  features.columns[5].fill_number = 10957;
  features.origins.assign(kFeatures, 0);
  features.origins[4] = 1.7e9;
  dataset::Normalizer normalizer{.kind = dataset::NormalizerKind::kStandardize};
  normalizer.first = {40, 0, 0, 0, 3000, 0, 0, 0, 9000, 2010, 6, 15, 3, 12, 30};
  normalizer.second = {12, 1, 1, 1, 800, 1, 1, 1, 5000, 9, 3, 8, 2, 6, 15};
  OnnxCase made{
      .name = "table: columns of all kinds",
      .model = gradient::Build(Sequential("table")
                                   .Input(FeedForward(kFeatures))
                                   .Layer(Dense(6).Activation(Tanh()))
                                   .Layer(Output(2).Loss(MeanSquaredError()))),
      .schema = {.feature_shape = {kFeatures},
                 .features = features,
                 .labels = dataset::TargetLabels{.size = 2, .origins = {0.5, 0}}},
      .normalizer = normalizer,
      .target_normalizer = {.kind = dataset::NormalizerKind::kStandardize,
                            .first = {5, -3},
                            .second = {2, 0.5}},
      .rows = {{"31", "self", "1700001234", "S", "yes", "1990-05-17", "2020-01-31 12:30:05"},
               {"", "état", "1700004321.5", "", "no", "", "2012-12-01"},
               {"77.25", "", "1700002500", "XL", "perhaps", "2001-02-03", "1999-07-04 23:59"},
               {"18", "other", "1700000000", "L", "yes", "1969-12-31", "2000-02-29 00:00"}}};
  return made;
}

std::vector<OnnxCase> Preprocessing() {
  const dataset::Normalizer of_channels = {
      .kind = dataset::NormalizerKind::kMinMax, .first = {0, 10, 20}, .second = {255, 200, 20}};
  const Sequential images = Sequential("images")
                                .Input(Image(3, 6, 6))
                                .Layer(Conv2D(4).Activation(Relu()))
                                .Layer(Classes());
  const Sequential steps =
      Sequential("steps").Input(VariableSequence(5, 2)).Layer(Gru(3)).Layer(Classes());
  const Sequential two = Sequential("two")
                             .Input("left", FeedForward(3))
                             .Input("right", Image(1, 2, 2))
                             .Layer(Dense(4).Inputs({"left"}).Name("a"))
                             .Layer(Dense(4).Inputs({"right"}).Name("b"))
                             .Layer(Multiply().Inputs({"a", "b"}))
                             .Layer(Classes());
  const Sequential rows = Sequential("rows").Input(FeedForward(12)).Layer(Classes());
  dataset::FloatFeatures with_origins;
  with_origins.origins = {1e9, 0};
  return {
      {.name = "bytes of images",
       .model = gradient::Build(images),
       .schema = {.feature_shape = {3, 6, 6}, .features = dataset::ByteFeatures()},
       .normalizer = of_channels},
      {.name = "bytes without a normalizer",
       .model = gradient::Build(rows),
       .schema = {.feature_shape = {3, 2, 2}, .features = dataset::ByteFeatures()}},
      {.name = "numbers of images",
       .model = gradient::Build(images),
       .schema = {.feature_shape = {3, 6, 6}},
       .normalizer = of_channels},
      {.name = "steps with origins",
       .model = gradient::Build(steps),
       .schema = {.feature_shape = {5, 2}, .features = with_origins, .variable_length = true},
       .normalizer = {.kind = dataset::NormalizerKind::kStandardize,
                      .first = {0.5, -0.25},
                      .second = {0.5, 2}}},
      {.name = "several inputs",
       .model = gradient::Build(two),
       .schema = {.feature_shape = {7}},
       .normalizer = {.kind = dataset::NormalizerKind::kMinMax,
                      .first = {-1, -2, -3, 0, 0, 0, 0},
                      .second = {1, 2, 3, 1, 1, 1, 1}}},
      Table(),
  };
}

}  // namespace

std::vector<OnnxCase> PublishedZoo() {
  std::vector<OnnxCase> cases;
  for (const zoo::ZooModel& model : zoo::ZooModels()) {
    cases.push_back({.name = absl::StrCat("published: ", std::string(model.name)),
                     .model = gradient::Build(model.make(model.published))});
  }
  return cases;
}

std::vector<OnnxCase> AllCases() {
  std::vector<OnnxCase> all;
  std::set<std::string> names;
  const auto add = [&](OnnxCase one) {
    if (names.insert(one.name).second) all.push_back(std::move(one));
  };
  for (const auto models : {gradient::SampleModels, gradient::SmallNetworks, gradient::Graphs,
                            gradient::SharingNetworks, gradient::SeveralOutputs,
                            gradient::SequenceNetworks, gradient::LargeNetworks}) {
    for (gradient::NamedModel& model : models())
      add({.name = std::move(model.name), .model = std::move(model.model)});
  }
  for (const auto cases : {VaryingLengths, WideActivations, Options, SmallZoo, Preprocessing}) {
    for (OnnxCase& one : cases()) add(std::move(one));
  }
  return all;
}

}  // namespace dl::onnx_test
