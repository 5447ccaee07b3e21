#include "tests/integration/sample_jobs.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/philox.h"
#include "gtest/gtest.h"
#include "job/job_builder.h"
#include "job/parameter_averaging.h"
#include "nn/conf/sequential.h"
#include "tests/support/generated_data.h"

namespace dl::test {
namespace {

constexpr int64_t kSteps = 6, kLetters = 9;  // of texts

nn::Sequential Mlp() {
  return nn::Sequential("mlp")
      .Seed(7)
      .Updater(nn::Nesterov(nn::CosineSchedule(0.05)).Momentum(0.9))
      .WeightInit(nn::Xavier())
      .L2(1e-4)
      .Input(nn::Image(1, 12, 12))
      .Layer(nn::Dense(24).Activation(nn::Tanh()))
      .Layer(nn::Output(4).Loss(nn::SoftmaxCrossEntropy()));
}

// Both halves of an image pass through the same weights.
nn::Sequential Halves() {
  return nn::Sequential("halves")
      .Seed(7)
      .Updater(nn::Adam(0.01))
      .Input("upper", nn::Image(1, 6, 12))
      .Input("lower", nn::Image(1, 6, 12))
      .Layer(nn::Dense(12).Activation(nn::Tanh()).Inputs({"upper"}).Name("code"))
      .Layer(nn::Dense(12).Activation(nn::Tanh()).Inputs({"lower"}).WeightsOf("code").Name("other"))
      .Layer(nn::Concat().Inputs({"code", "other"}))
      .Layer(nn::Output(4).Loss(nn::SoftmaxCrossEntropy()));
}

// Classes from an early and a late layer, and the reconstructed image: three losses.
nn::Sequential Tasks() {
  return nn::Sequential("tasks")
      .Seed(7)
      .Updater(nn::Adam(0.01))
      .Input(nn::Image(1, 12, 12))
      .Layer(nn::Dense(20).Activation(nn::Tanh()).Name("code"))
      .Layer(nn::Output(4).Loss(nn::SoftmaxCrossEntropy()).LossWeight(0.3).Name("early"))
      .Layer(nn::Output(144)
                 .Loss(nn::MeanSquaredError())
                 .ComparedWithInput()
                 .LossWeight(0.5)
                 .Inputs({"code"}))
      .Layer(nn::Dense(12).Activation(nn::Tanh()).Inputs({"code"}))
      .Layer(nn::Output(4).Loss(nn::SoftmaxCrossEntropy()).LabelsOf("early"));
}

nn::Sequential Cnn() {
  return nn::Sequential("cnn")
      .Seed(7)
      .Updater(nn::Adam(0.002))
      .WeightInit(nn::He())
      .Input(nn::Image(1, 12, 12))
      .Layer(nn::Conv2D(6).Kernel(3).Activation(nn::Identity()))
      .Layer(nn::BatchNorm())
      .Layer(nn::ActivationLayer(nn::Relu()))
      .Layer(nn::MaxPool2D(2).Stride(2))
      .Layer(nn::Dropout(0.3))
      .Layer(nn::Dense(16).Activation(nn::Relu()))
      .Layer(nn::Output(4).Loss(nn::SoftmaxCrossEntropy()));
}

// A model for the texts of WriteText.
nn::Sequential OfText(const char* name) {
  return nn::Sequential(name)
      .Seed(7)
      .Updater(nn::Adam(0.01))
      .ClipGradientsByNorm(1)
      .Input(nn::Sequence(kSteps, 1));
}

nn::Sequential Lstm() {
  return OfText("lstm")
      .Layer(nn::Embedding(kLetters, 12))
      .Layer(nn::Lstm(16))
      .Layer(nn::Dropout(0.2))
      .Layer(nn::Lstm(16))
      .Layer(nn::Output(kLetters).Loss(nn::SoftmaxCrossEntropy()));
}

// The state continues from minibatch to minibatch, also from one round to the next.
nn::Sequential StatefulLstm() {
  return OfText("stateful_lstm")
      .Layer(nn::Embedding(kLetters, 12))
      .Layer(nn::Lstm(16).Stateful())
      .Layer(nn::Gru(12).Stateful())
      .Layer(nn::Output(kLetters).Loss(nn::SoftmaxCrossEntropy()));
}

nn::Sequential Transformer() {
  return OfText("transformer")
      .Layer(nn::Embedding(kLetters, 16))
      .Layer(nn::PositionalEmbedding().Name("x"))
      .Layer(nn::LayerNorm())
      .Layer(nn::SelfAttention(2).Causal().Name("attention"))
      .Layer(nn::Add().Inputs({"x", "attention"}))
      .Layer(nn::LayerNorm())
      .Layer(nn::Output(kLetters).Loss(nn::SoftmaxCrossEntropy()));
}

// Predicts hidden tokens. The token that replaces hidden ones adds one to the alphabet.
nn::Sequential MaskedText() {
  constexpr int64_t kTokens = kLetters + 1;
  return OfText("masked_text")
      .Layer(nn::Embedding(kTokens, 16))
      .Layer(nn::PositionalEmbedding())
      .Layer(nn::SelfAttention(2))
      .Layer(nn::LayerNorm())
      .Layer(nn::Output(kTokens).Loss(nn::SoftmaxCrossEntropy()));
}

nn::Sequential VariableLength() {
  return nn::Sequential("variable_length")
      .Seed(7)
      .Updater(nn::Adam(0.01))
      .Input(nn::VariableSequence(kSteps, 2))
      .Layer(nn::Lstm(8).Bidirectional())
      .Layer(nn::SelfAttention(2))
      .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy()));
}

nn::Sequential Vae() {
  return nn::Sequential("vae")
      .Seed(7)
      .Updater(nn::Adam(0.002))
      .Input(nn::Image(1, 12, 12))
      .Layer(nn::Dense(12).Activation(nn::Tanh()))
      .Layer(nn::GaussianSample(0.01))
      .Layer(nn::Dense(12).Activation(nn::Tanh()))
      .Layer(nn::Output(144).Loss(nn::BinaryCrossEntropy()).ComparedWithInput());
}

bool IsCnn(SampleJob sample) {
  return sample == SampleJob::kCnnKeep || sample == SampleJob::kCnnOuterKeep ||
         sample == SampleJob::kCnnEma;
}

std::optional<nn::Sequential> ModelOfText(SampleJob sample) {
  if (sample == SampleJob::kLstm) return Lstm();
  if (sample == SampleJob::kStatefulLstm) return StatefulLstm();
  if (sample == SampleJob::kTransformer) return Transformer();
  return std::nullopt;
}

// Writes a text with `examples` sequences of kSteps letters. It uses all of the first kLetters
// letters, and each letter partly determines the next.
std::string WriteText(const std::string& path, int64_t examples, uint64_t seed) {
  RandomStream stream({.seed = seed, .purpose = RandomPurpose::kForTests});
  std::string text;
  for (int64_t i = 0; i <= examples * kSteps; ++i) {
    const int64_t last = text.empty() ? 0 : text.back() - 'a';
    const int64_t next = stream.Bounded(4) == 0 ? stream.Bounded(kLetters) : (last * 3 + 1);
    text.push_back(static_cast<char>('a' + (i < kLetters ? i : next % kLetters)));
  }
  EXPECT_TRUE(AtomicWriteFile(path, text).ok());
  return path;
}

// Writes sequences of 1 to kSteps steps. The label of a step is whether its first number exceeds
// that of the previous step.
std::string WriteSequences(const std::string& path, int64_t examples, uint64_t seed) {
  RandomStream stream({.seed = seed, .purpose = RandomPurpose::kForTests});
  std::string text = "id,x,y,label\n";
  for (int64_t e = 0; e < examples; ++e) {
    std::vector<uint64_t> x(1 + stream.Bounded(kSteps));
    for (uint64_t& value : x) value = stream.Bounded(100);
    for (const uint64_t value : x) {
      absl::StrAppend(&text, e, ",", value, ",", stream.Bounded(7), ",",
                      value > x.back() ? "above" : "below", "\n");
    }
  }
  EXPECT_TRUE(AtomicWriteFile(path, text).ok());
  return path;
}

job::Job JobOf(const TempFolder& folder, SampleJob sample) {
  if (sample == SampleJob::kVariableLength) {
    const job::SequenceRows rows = job::SequenceRows(kSteps).By("id").LabelsOfSteps();
    return job::Job("variable_length")
        .Model(VariableLength())
        .Train(data::Csv(WriteSequences(folder / "train.csv", 331, 1)).Sequences(rows))
        .Test(data::Csv(WriteSequences(folder / "test.csv", 90, 2)).Sequences(rows))
        .Normalizer(job::NormalizerChoice::kStandardize);
  }
  if (sample == SampleJob::kMaskedText) {
    return job::Job("masked_text")
        .Model(MaskedText())
        .Train(data::Text(WriteText(folder / "train.txt", 331, 1), kSteps).Masked())
        .Test(data::Text(WriteText(folder / "test.txt", 90, 2), kSteps).Masked());
  }
  if (const std::optional<nn::Sequential> model = ModelOfText(sample)) {
    return job::Job(absl::AsciiStrToLower(ToString(sample)))
        .Model(*model)
        .Train(data::Text(WriteText(folder / "train.txt", 331, 1), kSteps))
        .Test(data::Text(WriteText(folder / "test.txt", 90, 2), kSteps));
  }
  const ImageSet train = WriteImages(folder / "train", {.examples = 331, .seed = 1});
  const ImageSet test = WriteImages(folder / "test", {.examples = 90, .seed = 2});
  const bool cnn = IsCnn(sample);
  std::vector<job::AugmentationConf> changes;
  if (sample == SampleJob::kCnnOuterKeep)
    changes = {job::RandomCrop().Padding(1), job::HorizontalFlip()};
  if (sample == SampleJob::kVae) {
    return job::Job("vae")
        .Model(Vae())
        .Train(data::Idx(train.features, train.labels))
        .Test(data::Idx(test.features, test.labels))
        .Normalizer(job::NormalizerChoice::kMinMax);
  }
  return job::Job(cnn ? "cnn" : "mlp")
      .Augmentation(changes)
      .Model(cnn                            ? Cnn()
             : sample == SampleJob::kHalves ? Halves()
             : sample == SampleJob::kTasks  ? Tasks()
                                            : Mlp())
      .Train(data::Idx(train.features, train.labels))
      .Test(data::Idx(test.features, test.labels))
      .Normalizer(job::NormalizerChoice::kStandardize);
}

}  // namespace

std::string ToString(SampleJob job) {
  switch (job) {
    case SampleJob::kMlpAverage:
      return "MlpAverage";
    case SampleJob::kMlpReset:
      return "MlpReset";
    case SampleJob::kCnnKeep:
      return "CnnKeep";
    case SampleJob::kMlpOuter:
      return "MlpOuter";
    case SampleJob::kCnnOuterKeep:
      return "CnnOuterKeep";
    case SampleJob::kCnnEma:
      return "CnnEma";
    case SampleJob::kLstm:
      return "Lstm";
    case SampleJob::kStatefulLstm:
      return "StatefulLstm";
    case SampleJob::kTransformer:
      return "Transformer";
    case SampleJob::kVariableLength:
      return "VariableLength";
    case SampleJob::kMaskedText:
      return "MaskedText";
    case SampleJob::kVae:
      return "Vae";
    case SampleJob::kHalves:
      return "Halves";
    case SampleJob::kTasks:
      return "Tasks";
  }
  return "";
}

job::JobSpec MakeSample(const TempFolder& folder, const SampleOptions& options) {
  ParameterAveraging training;
  training.Workers(3)
      .BatchSizePerWorker(8)
      .AveragingFrequency(2)
      .Epochs(options.epochs)
      .LeaseSeconds(1)
      .EvaluationBatchSize(16);
  if (options.job == SampleJob::kMlpReset) training.UpdaterStates(job::UpdaterState::kReset);
  if (IsCnn(options.job)) training.UpdaterStates(job::UpdaterState::kKeep);
  if (options.job == SampleJob::kCnnEma) training.EmaDecay(0.6);
  if (options.job == SampleJob::kMlpOuter)
    training.Strategy(job::Outer().LearningRate(0.7).Momentum(0.9));
  if (options.job == SampleJob::kCnnOuterKeep)
    training.Strategy(job::Outer().LearningRate(0.5).Momentum(0.6).Nesterov(false));
  if (options.job == SampleJob::kStatefulLstm) training.Shuffle(job::ShuffleMode::kStream);
  if (options.job == SampleJob::kLstm) training.UpdaterStates(job::UpdaterState::kKeep);
  auto spec = JobOf(folder, options.job).Training(training).Build();
  if (!spec.ok()) {
    ADD_FAILURE() << DescribeError(spec.status());
    return {};
  }
  return *std::move(spec);
}

}  // namespace dl::test
