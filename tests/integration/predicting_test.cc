// Predictions of a trained job for examples and texts, requested as users do: in the folder of an
// ended run, and at a standing master.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/files.h"
#include "base/philox.h"
#include "gtest/gtest.h"
#include "job/job_builder.h"
#include "nn/conf/sequential.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"
#include "tests/unit/dataset/packed_bytes.h"

namespace dl::test {
namespace {

std::vector<std::string> LinesOf(const std::string& text) {
  return absl::StrSplit(text, '\n', absl::SkipEmpty());
}

TEST(Predicting, PredictionsAgreeWithEvaluation) {
  const TempFolder folder;
  const std::string data = folder / "data";
  const std::string job = WriteJob(folder, "job", MakeSample(folder, {}));
  const Finished run = DlSubmit({"run", job, "--master", "local[2]", "--data-dir", data, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const Finished evaluated = DlSubmit({"evaluate", "mlp-1", "--data-dir", data, "--json"});
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.errors;
  // Uses the test set of the job's own document: images in two files, normalized as the training
  // set.
  const std::string answers = folder / "answers.csv";
  const Finished predicted =
      DlSubmit({"predict", "mlp-1", "--data-dir", data, "--data", job, "-o", answers, "--json"});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.errors;
  EXPECT_EQ(predicted.result()["accuracy"], evaluated.result()["accuracy"]);
  const std::vector<std::string> lines = LinesOf(ReadFile(answers, 1 << 20).value_or(""));
  ASSERT_EQ(lines.size(), 91u);
  int64_t right = 0;
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> fields = absl::StrSplit(lines[i], ',');
    ASSERT_EQ(fields.size(), 4u) << lines[i];
    right += fields[1] == fields[2] ? 1 : 0;
  }
  EXPECT_NEAR(right / 90.0, evaluated.result()["accuracy"].get<double>(), 1e-12);

  // Predicts the outputs of an inner layer, named as the builder named it.
  const std::string inner = "dense1";
  const Finished features = DlSubmit({"predict", "mlp-1", "--data-dir", data, "--data", job,
                                      "--layer", inner, "-o", answers, "--json"});
  ASSERT_EQ(features.exit_code, 0) << features.errors;
  EXPECT_FALSE(features.result().contains("accuracy"));
  EXPECT_TRUE(ReadFile(answers, 1 << 22).value_or("").starts_with("example,output_1,output_2,"));
  const Finished unknown =
      DlSubmit({"predict", "mlp-1", "--data-dir", data, "--data", job, "--layer", inner + "x"});
  EXPECT_NE(unknown.exit_code, 0);
  EXPECT_NE(unknown.errors.find("did you mean \"" + inner + "\""), std::string::npos)
      << unknown.errors;
}

TEST(Predicting, EachStepOfSequenceHasLine) {
  const TempFolder folder;
  const std::string data = folder / "data";
  const std::string job =
      WriteJob(folder, "job", MakeSample(folder, {.job = SampleJob::kTransformer}));
  const Finished run = DlSubmit({"run", job, "--master", "local[2]", "--data-dir", data, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const Finished evaluated = DlSubmit({"evaluate", "transformer-1", "--data-dir", data, "--json"});
  const std::string answers = folder / "answers.jsonl";
  const Finished predicted = DlSubmit(
      {"predict", "transformer-1", "--data-dir", data, "--data", job, "-o", answers, "--json"});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.errors;
  EXPECT_EQ(predicted.result()["accuracy"], evaluated.result()["accuracy"]);
  const std::vector<std::string> lines = LinesOf(ReadFile(answers, 1 << 22).value_or(""));
  ASSERT_EQ(lines.size(), 90u * 6);
  const Json last = Json::parse(lines.back());
  EXPECT_EQ(last["example"], 89);
  EXPECT_EQ(last["step"], 5);
}

// A table with a number and a class name in each row. Some rows lack the class.
TEST(Predicting, EachOutputLayerHasColumns) {
  const TempFolder folder;
  const std::string data = folder / "data";
  std::string rows = "wing,bill,mass,kind\n";
  for (int i = 0; i < 90; ++i) {
    const int kind = i % 3;
    absl::StrAppend(&rows, kind + (i % 7) * 0.1, ",", 2 * kind - (i % 5) * 0.1, ",", 0.5 * kind,
                    ",",
                    i % 9 == 8  ? ""
                    : kind == 0 ? "auk"
                    : kind == 1 ? "gull"
                                : "owl",
                    "\n");
  }
  const auto source = [&](const std::string& path) {
    return data::Csv(path).TargetColumns({"mass", "kind"}).Categorical({"kind"});
  };
  const auto spec =
      job::Job("birds")
          .Model(nn::Sequential("birds")
                     .Seed(3)
                     .Updater(nn::Adam(0.02))
                     .Input(nn::FeedForward(2))
                     .Layer(nn::Dense(16).Activation(nn::Tanh()).Name("body"))
                     .Layer(nn::Output(1).Loss(nn::MeanSquaredError()).LossWeight(0.5).Name("mass"))
                     .Layer(nn::Output(3).Inputs({"body"}).Name("kind")))
          .Training(ParameterAveraging().Workers(3).BatchSizePerWorker(8).Epochs(20))
          .Train(source(folder.Write("birds.csv", rows)))
          .Test(source(folder.Write("test.csv", rows)))
          .Build();
  ASSERT_TRUE(spec.ok()) << DescribeError(spec.status());
  const std::string job = WriteJob(folder, "birds", *spec);
  const Finished run = DlSubmit({"run", job, "--master", "local[2]", "--data-dir", data, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;

  const Finished evaluated = DlSubmit({"evaluate", "birds-1", "--data-dir", data, "--json"});
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.errors;
  const Json report = evaluated.result();
  const Json &mass = report["by_output"][0], &kind = report["by_output"][1];
  EXPECT_EQ(mass["layer"], "mass");
  EXPECT_EQ(mass["examples"], 90);
  EXPECT_EQ(kind["examples"], 80);  // the rows that have a class
  EXPECT_EQ(kind["classes"][2]["class"], "owl");
  EXPECT_GT(kind["accuracy"].get<double>(), 0.9);
  EXPECT_EQ(report["accuracy"], kind["accuracy"]);
  EXPECT_NEAR(report["loss"].get<double>(),
              0.5 * mass["loss"].get<double>() + kind["loss"].get<double>(), 1e-6);
  EXPECT_EQ(report["loss"], run.result()["metrics"]["test"]["loss"]);

  const std::string answers = folder / "answers.csv";
  const Finished predicted =
      DlSubmit({"predict", "birds-1", "--data-dir", data, "--data", job, "-o", answers, "--json"});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.errors;
  EXPECT_EQ(predicted.result()["accuracy"], kind["accuracy"]);
  const std::vector<std::string> lines = LinesOf(ReadFile(answers, 1 << 20).value_or(""));
  ASSERT_EQ(lines.size(), 91u);
  EXPECT_EQ(lines[0], "example,mass.target,mass.output,kind.label,kind.class,kind.probability");
  EXPECT_TRUE(lines[3].starts_with("2,1,")) << lines[3];
  EXPECT_NE(lines[3].find(",owl,owl,"), std::string::npos) << lines[3];
  EXPECT_NE(lines[9].find(",,owl,"), std::string::npos) << lines[9];
  const Finished shown = DlSubmit({"evaluate", "birds-1", "--data-dir", data});
  EXPECT_NE(shown.text.find("output mass, whose loss counts 0.5"), std::string::npos) << shown.text;
}

// The generated text does not depend on the master that trained the model.
TEST(Predicting, GeneratedTextIsReproducible) {
  const TempFolder folder;
  const std::string data = folder / "data";
  const std::string job = WriteJob(folder, "job", MakeSample(folder, {.job = SampleJob::kLstm}));
  const Finished run = DlSubmit({"run", job, "--master", "local[2]", "--data-dir", data, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const std::vector<std::string> words = {"--prompt", "abc", "--length",      "100", "--top-k", "5",
                                          "--seed",   "3",   "--temperature", "0.8"};
  std::vector<std::string> line = {"generate", "lstm-1@last", "--data-dir", data, "--json"};
  line.insert(line.end(), words.begin(), words.end());
  const Finished written = DlSubmit(line), again = DlSubmit(line);
  ASSERT_EQ(written.exit_code, 0) << written.errors;
  const std::string text = written.result()["text"];
  EXPECT_EQ(text.size(), 100u);
  EXPECT_EQ(again.result()["text"], text);

  StandingCluster cluster(folder);
  cluster.StartMaster();
  cluster.StartExecutor();
  const std::string id = cluster.Submit(job);
  EXPECT_EQ(cluster.Wait(id).value("state_sha256", ""), run.result()["state_sha256"]);
  std::vector<std::string> more = {id};
  more.insert(more.end(), words.begin(), words.end());
  const Finished there = cluster.Ask("generate", more);
  ASSERT_EQ(there.exit_code, 0) << there.errors;
  EXPECT_EQ(there.result()["text"], text);
}

// Sequences of tones, each of one or two steps. The labels name the tones in order, but not which
// step belongs to which tone. There are 64 examples of up to 8 steps: [n, 8, 3] features, and the
// numbers of the tones.
struct Tones {
  std::vector<float> sound;
  std::vector<int8_t> told, lengths;

  explicit Tones(uint64_t seed) {
    RandomStream random({.seed = seed, .purpose = RandomPurpose::kForTests});
    for (int64_t e = 0; e < 64; ++e) {
      std::vector<float> steps;
      std::vector<int8_t> tones;
      while (tones.size() < 2) {
        const auto tone = static_cast<int8_t>(random.Bounded(2));
        for (uint64_t left = 1 + random.Bounded(2); left > 0; --left)
          steps.insert(steps.end(), {tone == 0 ? 1.0f : 0.0f, tone == 1 ? 1.0f : 0.0f, 0});
        steps.insert(steps.end(), {0, 0, 1});  // silence
        tones.push_back(tone);
        if (random.Bounded(4) == 0) break;
      }
      lengths.push_back(static_cast<int8_t>(steps.size() / 3));
      steps.resize(8 * 3, 0.5f);
      sound.insert(sound.end(), steps.begin(), steps.end());
      tones.resize(2, -1);
      told.insert(told.end(), tones.begin(), tones.end());
    }
  }
  std::string Archive() const {
    return Zip({{"x.npy", Npy("<f4", "(64, 8, 3)", Raw(sound))},
                {"y.npy", Npy("|i1", "(64, 2)", Raw(told))},
                {"n.npy", Npy("|i1", "(64,)", Raw(lengths))}});
  }
};

TEST(Predicting, SequencesOfClassesArePredicted) {
  const TempFolder folder;
  const auto archive = [&](const char* name, uint64_t seed) {
    return data::Npz(folder.Write(name, Tones(seed).Archive())).Lengths("n").LabelsAreSequences();
  };
  const auto spec =
      job::Job("tones")
          .Model(nn::Sequential("tones")
                     .Updater(nn::Adam(0.02))
                     .Input(nn::VariableSequence(8, 3))
                     .Layer(nn::Gru(8))
                     .Layer(nn::Output(3).Loss(nn::Ctc())))
          .Training(
              ParameterAveraging().Workers(2).BatchSizePerWorker(8).AveragingFrequency(2).Epochs(
                  30))
          .Train(archive("train.npz", 1))
          .Test(archive("test.npz", 2))
          .Build();
  ASSERT_TRUE(spec.ok()) << DescribeError(spec.status());
  const std::string data = folder / "data", job = WriteJob(folder, "job", *spec);
  const Finished run = DlSubmit({"run", job, "--master", "local[1]", "--data-dir", data, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_GT(run.result()["metrics"]["test"]["accuracy"].get<double>(), 0.9);
  const Json elsewhere = RunJob("local-cluster[2]", job);
  EXPECT_EQ(elsewhere.value("state_sha256", ""), run.result()["state_sha256"]);

  const Finished evaluated = DlSubmit({"evaluate", "tones-1", "--data-dir", data, "--json"});
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.errors;
  EXPECT_EQ(evaluated.result()["examples"], 64);
  EXPECT_LT(evaluated.result()["label_error_rate"].get<double>(), 0.1);
  const std::string answers = folder / "answers.csv";
  const Finished predicted =
      DlSubmit({"predict", "tones-1", "--data-dir", data, "--data", job, "-o", answers, "--json"});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.errors;
  EXPECT_EQ(predicted.result()["accuracy"], evaluated.result()["accuracy"]);
  const std::vector<std::string> lines = LinesOf(ReadFile(answers, 1 << 20).value_or(""));
  ASSERT_EQ(lines.size(), 65u) << "a line for each example, not for its steps";
  EXPECT_EQ(lines[0], "example,labels,classes");
  const Finished untold = DlSubmit(
      {"predict", "tones-1", "--data-dir", data, "--data", job, "--no-labels", "-o", answers});
  ASSERT_EQ(untold.exit_code, 0) << untold.errors;
  EXPECT_EQ(LinesOf(ReadFile(answers, 1 << 20).value_or(""))[0], "example,classes");
}

// A table of walks. Each row has a number and a class of its own.
TEST(Predicting, StepsHaveNumbersAndClasses) {
  const TempFolder folder;
  RandomStream random({.seed = 5, .purpose = RandomPurpose::kForTests});
  std::string rows = "walk,x,turn,place\n";
  for (int64_t walk = 0; walk < 80; ++walk) {
    double place = 0;
    for (uint64_t step = 0; step < 2 + random.Bounded(4); ++step) {
      const double x = random.NextDouble() - 0.5;
      place += x;
      absl::StrAppend(&rows, walk, ",", x, ",", x < 0 ? "left" : "right", ",", place, "\n");
    }
  }
  const auto spec =
      job::Job("walks")
          .Model(
              nn::Sequential("walks")
                  .Updater(nn::Adam(0.02))
                  .Input(nn::VariableSequence(5, 1))
                  .Layer(nn::Gru(8).Name("body"))
                  .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy()).Name("turn"))
                  .Layer(nn::Output(1).Loss(nn::MeanSquaredError()).Inputs({"body"}).Name("place")))
          .Training(ParameterAveraging().Workers(2).BatchSizePerWorker(8).Epochs(25))
          .Train(data::Csv(folder.Write("walks.csv", rows))
                     .TargetColumns({"turn", "place"})
                     .Categorical({"turn"})
                     .Sequences(job::SequenceRows(5).By("walk").LabelsOfSteps()))
          .Split({.test_fraction = 0.25})
          .Build();
  ASSERT_TRUE(spec.ok()) << DescribeError(spec.status());
  const std::string data = folder / "data", job = WriteJob(folder, "job", *spec);
  const Finished run = DlSubmit({"run", job, "--master", "local[2]", "--data-dir", data, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const Finished evaluated = DlSubmit({"evaluate", "walks-1", "--data-dir", data, "--json"});
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.errors;
  const Json report = evaluated.result();
  const Json &turn = report["by_output"][0], &place = report["by_output"][1];
  EXPECT_GT(turn["accuracy"].get<double>(), 0.9);
  EXPECT_EQ(turn["classes"][0]["class"], "left");
  EXPECT_GT(place["outputs"][0]["r2"].get<double>(), 0.8);
  EXPECT_EQ(turn["examples"], place["examples"]);
  const std::string answers = folder / "answers.csv";
  const Finished predicted =
      DlSubmit({"predict", "walks-1", "--data-dir", data, "--data", job, "-o", answers, "--json"});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.errors;
  const std::vector<std::string> lines = LinesOf(ReadFile(answers, 1 << 20).value_or(""));
  EXPECT_EQ(lines[0],
            "example,step,turn.label,turn.class,turn.probability,place.target,"
            "place.output");
  EXPECT_EQ(static_cast<int64_t>(lines.size()) - 1, turn["examples"].get<int64_t>())
      << "a line for each step that is there";
}

}  // namespace
}  // namespace dl::test
