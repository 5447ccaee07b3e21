#include "bench/steps/measured_models.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/suggest.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/schedule.h"
#include "nn/conf/sequential.h"
#include "nn/conf/zoo/zoo.h"

namespace dl::bench {
namespace {

using nn::zoo::Task;

// A constant rate that is small enough for random labels.
constexpr double kNesterovRate = 0.001, kAdamRate = 0.0001;
// Gradients of ResNet-50 and MobileNet at their initial weights depend on the order of additions
// (tests/torch). With a larger rate, the losses of two correct programs would differ.
constexpr double kSensitiveRate = 0.000002;

// Builds the model without random numbers in its steps, because the rival draws others.
StatusOr<nn::ModelConfig> Built(nn::Sequential& network, const nn::UpdaterConf& updater) {
  network.Updater(updater);
  DL_ASSIGN_OR_RETURN(nn::ModelConfig model, network.Build());
  for (nn::LayerConfig& layer : model.layers) {
    if (auto* dropout = std::get_if<nn::Dropout>(&layer.conf)) dropout->probability = 0;
  }
  return model;
}

StatusOr<nn::ModelConfig> WithNesterov(nn::Sequential network, double rate = kNesterovRate) {
  return Built(network, nn::Nesterov(rate));
}
StatusOr<nn::ModelConfig> WithAdam(nn::Sequential network) {
  return Built(network, nn::Adam(kAdamRate));
}

constexpr int64_t kImageNetClasses = 1000;

Task Colored(int64_t size, int64_t classes) { return {nn::Image(3, size, size), classes}; }

// The network for large images, on images of 32 x 32.
StatusOr<nn::ModelConfig> WithImageNetStem(nn::Sequential (*make)(const Task&), double rate) {
  nn::Sequential network = make(Colored(224, kImageNetClasses));
  return WithNesterov(network.Input(nn::Image(3, 32, 32)), rate);
}

// On 64 x 64 images the last pooling gives one pixel. An adaptive pooling makes 6 x 6 of it, as in
// torchvision, so that the dense layers have their published size.
StatusOr<nn::ModelConfig> SmallAlexNet() {
  const auto conv = [](int64_t filters, int64_t kernel, int64_t padding) {
    return nn::Conv2D(filters).Kernel(kernel).Padding(padding).Activation(nn::Relu());
  };
  return WithNesterov(nn::Sequential("alexnet")
                          .WeightInit(nn::He())
                          .Input(nn::Image(3, 64, 64))
                          .Layer(conv(96, 11, 2).Stride(4))
                          .Layer(nn::MaxPool2D(3).Stride(2))
                          .Layer(conv(256, 5, 2))
                          .Layer(nn::MaxPool2D(3).Stride(2))
                          .Layer(conv(384, 3, 1))
                          .Layer(conv(384, 3, 1))
                          .Layer(conv(256, 3, 1))
                          .Layer(nn::MaxPool2D(3).Stride(2))
                          .Layer(nn::AdaptiveAvgPool2D(6, 6))
                          .Layer(nn::Dense(4096).Activation(nn::Relu()))
                          .Layer(nn::Dense(4096).Activation(nn::Relu()))
                          .Layer(nn::Output(kImageNetClasses).Loss(nn::SoftmaxCrossEntropy())));
}

// The network of examples/adult_embeddings.cc: categories by column, and the units of their
// embeddings.
constexpr struct {
  int64_t categories, units;
} kAdultColumns[] = {{0, 0}, {9, 4}, {16, 6}, {0, 0}, {7, 4}, {15, 6}, {6, 4},
                     {5, 3}, {2, 1}, {0, 0},  {0, 0}, {0, 0}, {42, 8}};

StatusOr<nn::ModelConfig> Adult() {
  nn::Sequential network("adult");
  std::vector<std::string> joined;
  for (const auto& column : kAdultColumns) {
    const size_t number = joined.size() + 1;
    joined.push_back(absl::StrCat("column", number));
    network.Input(joined.back(), nn::FeedForward(1));
    if (column.categories == 0) continue;
    const std::string embedded = absl::StrCat("embedding", number);
    network.Layer(
        nn::Embedding(column.categories, column.units).Inputs({joined.back()}).Name(embedded));
    joined.back() = embedded;
  }
  network.Layer(nn::Concat().Inputs(joined))
      .Layer(nn::Dense(64).Activation(nn::Relu()))
      .Layer(nn::Dense(32).Activation(nn::Relu()))
      .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy()));
  return WithAdam(std::move(network));
}

std::vector<BenchModel> AllModels() {
  namespace zoo = nn::zoo;
  using Model = StatusOr<nn::ModelConfig>;
  return {
      {"lenet_a",
       "1 x 28 x 28",
       "lenet_a",
       {128, 512},
       []() -> Model {
         return WithNesterov(zoo::LeNetA({nn::Image(1, 28, 28), 10}));
       }},
      {"lenet5",
       "3 x 32 x 32",
       "lenet5",
       {42},
       []() -> Model { return WithNesterov(zoo::LeNet5(Colored(32, 10))); }},
      {"mlp",
       "784 values",
       "mlp",
       {128},
       []() -> Model {
         return WithNesterov(zoo::Mlp({nn::FeedForward(784), 10}));
       }},
      {"resnet18",
       "3 x 32 x 32, ImageNet stem",
       "resnet18_stem7",
       {42, 128},
       []() -> Model { return WithImageNetStem(&zoo::ResNet18, kNesterovRate); }},
      {"resnet50",
       "3 x 32 x 32, ImageNet stem",
       "resnet50_stem7",
       {42},
       []() -> Model { return WithImageNetStem(&zoo::ResNet50, kSensitiveRate); }},
      {"alexnet", "3 x 64 x 64", "alexnet", {42}, &SmallAlexNet},
      {"word_lstm",
       "30 of 10,000 words",
       "stacked_lstm",
       {20, 5},
       []() -> Model {
         return WithAdam(zoo::WordLstm({nn::Sequence(30, 1), 10'000}));
       }},
      {"char_lstm",
       "50 of 80 characters",
       "stacked_lstm",
       {32},
       []() -> Model {
         return WithAdam(zoo::CharLstm({nn::Sequence(50, 1), 80}));
       }},
      {"gpt",
       "128 of 80 characters",
       "gpt",
       {16},
       []() -> Model {
         return WithAdam(zoo::Gpt({nn::Sequence(128, 1), 80}));
       }},
      {"bert",
       "128 of 30,522 words, 15 % of them masked",
       "bert",
       {4, 16},
       []() -> Model {
         return WithAdam(zoo::Bert({nn::Sequence(128, 1), 30'522}));
       },
       0.15},
      {"resnet18_cifar",
       "3 x 32 x 32",
       "resnet18",
       {42, 128},
       []() -> Model { return WithNesterov(zoo::ResNet18(Colored(32, 10))); }},
      {"resnet50_cifar",
       "3 x 32 x 32",
       "resnet50",
       {42},
       []() -> Model { return WithNesterov(zoo::ResNet50(Colored(32, 10)), kSensitiveRate); }},
      {"vgg16",
       "3 x 32 x 32",
       "vgg16",
       {42},
       []() -> Model { return WithNesterov(zoo::Vgg16(Colored(32, 10))); }},
      {"mobilenet",
       "3 x 32 x 32",
       "mobilenet",
       {42},
       []() -> Model { return WithNesterov(zoo::MobileNet(Colored(32, 10)), kSensitiveRate); }},
      {"unet",
       "1 x 128 x 128",
       "unet",
       {2},
       []() -> Model {
         return WithAdam(zoo::UNet({nn::Image(1, 128, 128), 2}));
       }},
      {"vae",
       "784 values",
       "vae",
       {128},
       []() -> Model { return WithAdam(zoo::Vae({nn::FeedForward(784)})); }},
      {"autoencoder",
       "784 values",
       "autoencoder",
       {128},
       []() -> Model { return WithAdam(zoo::Autoencoder({nn::FeedForward(784)})); }},
      {"adult", "5 numbers and 8 categories", "adult", {64}, &Adult},
      {"resnet18_224",
       "3 x 224 x 224",
       "resnet18",
       {16},
       []() -> Model { return WithNesterov(zoo::ResNet18(Colored(224, kImageNetClasses))); }},
      {"alexnet_224",
       "3 x 224 x 224",
       "alexnet",
       {16},
       []() -> Model { return WithNesterov(zoo::AlexNet(Colored(224, kImageNetClasses))); }},
  };
}

}  // namespace

double RateOf(const nn::ModelConfig& model) {
  return nn::RateAt(nn::LearningRateOf(model.updater), 0, {});
}

std::span<const BenchModel> BenchModels() {
  static const std::vector<BenchModel> models = AllModels();
  return models;
}

StatusOr<std::vector<BenchTask>> TasksOf(const std::vector<std::string>& words) {
  std::vector<BenchTask> tasks;
  std::vector<std::string> names;
  for (const BenchModel& model : BenchModels()) names.emplace_back(model.name);
  const auto add = [&](const BenchModel& model) {
    for (const int64_t batch : model.batches) tasks.push_back({.model = &model, .batch = batch});
  };
  for (const std::string& word : words) {
    if (word == "all") {
      for (const BenchModel& model : BenchModels()) add(model);
      continue;
    }
    const size_t colon = word.find(':');
    const std::string name = word.substr(0, colon);
    const auto found = std::ranges::find(BenchModels(), name, &BenchModel::name);
    if (found == BenchModels().end()) {
      const std::string nearest = DidYouMean(name, names);
      return InvalidArgument({.message = absl::StrCat("there is no model \"", name, "\"", nearest),
                              .remedy = nearest.empty() ? "See steps --help for the models" : ""});
    }
    if (colon == std::string::npos) {
      add(*found);
      continue;
    }
    int64_t batch = 0;
    if (!absl::SimpleAtoi(word.substr(colon + 1), &batch) || batch < 1 ||
        batch > limits::kMaxBatchSize) {
      return InvalidArgument({.message = absl::StrCat("\"", word, "\" has no minibatch of 1 to ",
                                                      limits::kMaxBatchSize, " examples"),
                              .remedy = "Write MODEL:EXAMPLES, for example gpt:16"});
    }
    tasks.push_back({.model = &*found, .batch = batch});
  }
  return tasks;
}

}  // namespace dl::bench
