// Jobs that several tests of this folder use.
#pragma once

#include "job/job_builder.h"
#include "job/job_spec.h"

namespace dl::job {

inline nn::Sequential SampleModel() {
  return nn::Sequential("small")
      .Seed(42)
      .Updater(nn::Nesterov(nn::CosineSchedule(0.05)))
      .Input(nn::Image(1, 28, 28))
      .Layer(nn::Conv2D(4).Kernel(5).Activation(nn::Tanh()))
      .Layer(nn::MaxPool2D(2))
      .Layer(nn::BatchNorm())
      .Layer(nn::Dropout(0.25))
      .Layer(nn::Dense(16).Activation(nn::Relu()))
      .Layer(nn::Output(10).Loss(nn::SoftmaxCrossEntropy()));
}

inline Job SampleJob() {
  return Job("sample")
      .Model(SampleModel())
      .Training(
          ParameterAveraging().Workers(4).BatchSizePerWorker(64).AveragingFrequency(8).Epochs(3))
      .Train(data::Idx("train-images.gz", "train-labels.gz"))
      .Test(data::Idx("test-images.gz", "test-labels.gz"))
      .Normalizer(NormalizerChoice::kStandardize);
}

// Sequences of different lengths.
inline nn::Sequential VariableLengthModel() {
  return nn::Sequential("sequences")
      .Input(nn::VariableSequence(5, 3))
      .Layer(nn::Lstm(4).LastState())
      .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy()));
}

// Inputs of each kind, and a layer that shares the weights of another layer.
inline nn::Sequential SeveralInputsModel() {
  return nn::Sequential("several")
      .Input("numbers", nn::FeedForward(4))
      .Input("picture", nn::Image(1, 2, 2))
      .Input("steps", nn::Sequence(2, 2))
      .Layer(nn::Dense(3).Inputs({"numbers"}).Name("code"))
      .Layer(nn::Dense(3).Inputs({"picture"}).WeightsOf("code").Name("seen"))
      .Layer(nn::Lstm(3).LastState().Inputs({"steps"}).Name("heard"))
      .Layer(nn::Concat().Inputs({"code", "seen", "heard"}))
      .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy()));
}

// All keys of outputs that only models with several outputs have.
inline nn::Sequential SeveralOutputsModel() {
  return nn::Sequential("tasks")
      .Input(nn::FeedForward(3))
      .Layer(nn::Dense(4).Name("body"))
      .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy()).LossWeight(0.5).Name("kind"))
      .Layer(nn::LossLayer(nn::Focal()).Inputs({"body"}).LossWeight(0).Name("four"))
      .Layer(nn::Output(2).Loss(nn::Focal()).Inputs({"body"}).LabelsOf("kind"));
}

inline nn::Sequential NamedInputModel() {
  return nn::Sequential("named")
      .Input("steps", nn::VariableSequence(5, 3))
      .Layer(nn::Lstm(4).LastState())
      .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy()));
}

inline nn::Sequential VolumeModel() {
  return nn::Sequential("scans")
      .Input("scan", nn::Volume(1, 2, 3, 4))
      .Input("numbers", nn::FeedForward(3))
      .Layer(nn::Conv3D(2).Kernel(2).Inputs({"scan"}))
      .Layer(nn::GlobalAvgPool3D())
      .Layer(nn::Flatten().Name("seen"))
      .Layer(nn::Concat().Inputs({"seen", "numbers"}))
      .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy()));
}

inline ManifestReference SampleManifest() {
  return {.sha256 = std::string(64, 'a'),
          .summary = {.examples = 1000, .feature_shape = {1, 28, 28}, .classes = 10}};
}

// Returns jobs that together use every key at least once.
inline std::vector<JobSpec> SampleSpecs() {
  std::vector<JobSpec> specs;
  const auto add = [&](const Job& job) { specs.push_back(job.Build().value()); };
  add(SampleJob());
  add(SampleJob().Seed(~uint64_t{0}));
  add(SampleJob().Train(SampleManifest()).Test(SampleManifest()));
  add(SampleJob().InitialWeights(
      weights::Safetensors("w.safetensors").Name("conv1", "features.0").OthersBySeed()));
  add(SampleJob().InitialWeights(
      ImportedWeights{.tensors = {"output1.bias"}, .blocks = {std::string(64, 'b')}}));
  add(Job("stops-early")
          .Model(SampleModel())
          .Training(
              ParameterAveraging()
                  .UpdaterStates(UpdaterState::kKeep)
                  .Shuffle(ShuffleMode::kPartition)
                  .PrefetchBatches(0)
                  .ThreadsPerWorker(2)
                  .Isa("avx2")
                  .VerifyFraction(0.5)
                  .VerifyExecutors({"a", "b"})
                  .ProgressSeconds(90)
                  .LeaseSeconds(3)
                  .EvaluationBatchSize(100)
                  .HistogramsEveryRounds(20)
                  .Checkpoint(Checkpoints()
                                  .EveryRounds(5)
                                  .EverySeconds(0)
                                  .NotAtEpochEnds()
                                  .KeepLast(7)
                                  .KeepBest(0))
                  .StopEarly(EarlyStopping("accuracy").Maximize().Patience(2).MinDelta(0.001)))
          .Augmentation({HorizontalFlip().Probability(0.25), VerticalFlip(),
                         RandomCrop().Padding(2), Cutout().Size(3), Rotation().Degrees(5),
                         Brightness().Amount(0.1)})
          .Train(data::Cifar10({"a.bin", "b.bin"}))
          .Test(data::Cifar10({"c.bin"})));
  const auto of = [&](DatasetSpec train, DatasetSpec test) {
    add(SampleJob().Train(std::move(train)).Test(std::move(test)));
  };
  of(data::Csv("a.csv")
         .Comment("#")
         .ExcludeColumns({"id", -2})
         .Categorical({"color", 3})
         .CategoriesAs(CategoryEncoding::kIndex)
         .OnUnknownCategory(UnknownCategory::kError)
         .MissingValues({"-"})
         .OnMissing(MissingNumber::kMean, MissingCategory::kOwnClass),
     data::Csv("b.csv").LabelSuffix(".").FindCategorical());
  of(data::Csv("a.csv").Sequences(SequenceRows(20).By("id")),
     data::Csv("b.csv").Sequences(SequenceRows(20).By(0).LabelsOfSteps().OfEqualLength().Longer(
         LongerSequences::kKeepLast)));
  add(Job("split")
          .Model(SampleModel())
          .Train(data::Npz("a.npz"))
          .Split({.test_fraction = 0.25, .seed = ~uint64_t{0}, .stratified = true}));
  of(data::Libsvm("a.svm").FeatureCount(784).IndicesFromZero(), data::Libsvm({"b", "c*"}));
  of(data::Npy("x.npy", "y.npy").ClassNames({"a", "b"}), data::Npy({"x1", "x2"}, "y?.npy"));
  of(data::Npz("a.npz").Arrays("images", "digits"), data::Npz("b.npz").LabelsAreNumbers());
  of(data::Cifar100("train.bin").CoarseLabels(), data::Cifar100("test.bin"));
  of(data::ImageFolder("train", 32, 24).Grey(),
     data::ImageFolder("test", 32, 24).CropToAspectRatio());
  add(Job("text")
          .Model(nn::Sequential("lm")
                     .Input(nn::Sequence(32, 1))
                     .Layer(nn::Embedding(100, 8))
                     .Layer(nn::Lstm(8))
                     .Layer(nn::Output(100).Loss(nn::SoftmaxCrossEntropy())))
          .Train(data::Text({"a.txt", "b*.txt"}, 32).Words(100).Stride(7))
          .Test(data::Text("c.txt", 32).Bytes()));
  add(Job("several-inputs").Model(SeveralInputsModel()).Train(data::Csv("a.csv")));
  add(Job("several-outputs")
          .Model(SeveralOutputsModel())
          .Train(data::Csv("a.csv").TargetColumns({"x", 1})));
  add(Job("read-aloud")
          .Model(nn::Sequential("read-aloud")
                     .Input(nn::VariableSequence(200, 13))
                     .Layer(nn::Gru(8).Bidirectional())
                     .Layer(nn::Output(30).Loss(nn::Ctc())))
          .Train(data::Npz("a.npz").Lengths("n").LabelsAreSequences())
          .Test(data::Npy("x.npy", "y.npy").Lengths("n.npy").LabelsAreSequences()));
  of(data::Idx("x").WithoutLabels(), data::Npy("x.npy").WithoutLabels());
  add(Job("volumes").Model(VolumeModel()).Train(data::Npz("a.npz")));
  add(Job("named-input")
          .Model(NamedInputModel())
          .Train(data::Csv("a.csv").Sequences(SequenceRows(5).By("id"))));
  add(Job("several-targets")
          .Model(nn::Sequential("plane")
                     .Input(nn::FeedForward(3))
                     .Layer(nn::Output(2).Loss(nn::MeanSquaredError())))
          .Train(data::Csv("a.csv").TargetColumns({"x", 1})));
  add(Job("regression")
          .Model(nn::Sequential("line")
                     .Updater(nn::Adam(0.01))
                     .Input(nn::FeedForward(3))
                     .Layer(nn::Output(1).Loss(nn::MeanSquaredError())))
          .Training(ParameterAveraging().UpdaterStates(UpdaterState::kReset).EvaluateOnlyAtTheEnd())
          .Train(data::Csv("t\xc3\xa4glich.csv")
                     .Separator(";")
                     .LabelColumn("price")
                     .LabelsAreNumbers())
          .Test(data::Csv("test.csv").NoHeader().LabelColumn(0).LabelsAreNumbers())
          .Normalizer(NormalizerChoice::kMinMax));
  return specs;
}

// Returns specs with every sample of layers and updaters, so that all their keys occur.
inline std::vector<JobSpec> WideSpecs() {
  std::vector<JobSpec> specs = SampleSpecs();
  std::vector<nn::UpdaterConf> updaters;
  for (const nn::UpdaterType& type : nn::UpdaterTypes()) {
    for (const nn::UpdaterConf& sample : type.samples()) updaters.push_back(sample);
  }
  size_t next = 0;
  for (const nn::LayerType& type : nn::LayerTypes()) {
    for (const nn::LayerSample& sample : type.samples()) {
      nn::Sequential model("m");
      // A loss layer alone has no parameters to train.
      if (std::holds_alternative<nn::LossLayer>(sample.layer)) model.Layer(nn::PRelu());
      model.Input(sample.input)
          .WeightInit(specs.size() % 2 == 0 ? nn::Normal(0.1) : nn::Uniform(0.1))
          .NormalizeGradients(nn::ClipNormPerLayer())
          .WeightConstraint(nn::MaxNorm(1))
          .Updater(updaters[next++ % updaters.size()])
          .Layer(sample.layer);
      if (!nn::EndsModel(sample.layer)) model.Layer(nn::Output(2));
      // Stateful layers require this order.
      auto spec = Job("wide")
                      .Model(model)
                      .Training(ParameterAveraging().Shuffle(ShuffleMode::kStream))
                      .Train(data::Idx("a", "b"))
                      .Build();
      specs.push_back(std::move(spec).value());
    }
  }
  specs.push_back(SampleJob().Test(data::Cifar10({"x"})).Build().value());
  specs.push_back(SampleJob().Model(VariableLengthModel()).Build().value());
  specs.push_back(SampleJob()
                      .Model(nn::Sequential("m")
                                 .Updater(nn::Sgd(nn::PlateauSchedule({})))
                                 .Input(nn::Image(1, 28, 28))
                                 .Layer(nn::Output(2)))
                      .Test(data::Idx("c", "d"))
                      .Build()
                      .value());
  specs.push_back(SampleJob().Training(ParameterAveraging().Strategy(Outer())).Build().value());
  return specs;
}

}  // namespace dl::job
