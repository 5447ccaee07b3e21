#include "nn/conf/model_outputs.h"

#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/model_json.h"
#include "nn/conf/sequential.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

using testing::HasSubstr;

Sequential Tasks() {
  return Sequential("tasks").Input(FeedForward(6)).Layer(Dense(4).Name("body"));
}
Output Head(int64_t units, LossConf loss, const std::string& name) {
  return Output(units).Loss(std::move(loss)).Inputs({"body"}).Name(name);
}

ModelConfig WithHeads(const std::vector<Output>& heads) {
  Sequential tasks = Tasks();
  for (const Output& head : heads) tasks.Layer(head);
  auto model = tasks.Build();
  EXPECT_THAT(model, test::IsOk());
  return model.ok() ? *std::move(model) : ModelConfig();
}

std::string OutputMistake(const Sequential& builder) {
  const auto model = builder.Build();
  return model.ok() ? "none" : std::string(model.status().message());
}

TEST(ModelOutputsTest, SingleOutputHasAllLabels) {
  const auto classes = OutputsOf(WithHeads({Head(3, SoftmaxCrossEntropy(), "kind")}));
  ASSERT_EQ(classes.size(), 1u);
  EXPECT_EQ(classes[0].name, "kind");
  EXPECT_EQ(classes[0].type, FeedForward(3));
  EXPECT_EQ(LabelFormOf(classes).kind, LabelForm::Kind::kClass);
  EXPECT_EQ(LabelFormOf(classes).classes, 3);
  const auto numbers = OutputsOf(WithHeads({Head(3, MeanSquaredError(), "place")}));
  EXPECT_EQ(LabelFormOf(numbers).kind, LabelForm::Kind::kNumbers);
  EXPECT_EQ(LabelFormOf(numbers).numbers, 3);
  const auto sequence = Sequential("s").Input(Sequence(4, 3)).Layer(Output(5).Loss(Ctc())).Build();
  ASSERT_THAT(sequence, test::IsOk());
  const auto sequences = OutputsOf(*sequence);
  EXPECT_EQ(LabelFormOf(sequences).kind, LabelForm::Kind::kClassSequence);
  EXPECT_EQ(LabelFormOf(sequences).classes, 4) << "and the blank";
  EXPECT_EQ(sequences[0].CountedPerExample(), 1);
  const auto itself = OutputsOf(WithHeads({Head(6, MeanSquaredError(), "x").ComparedWithInput()}));
  EXPECT_EQ(LabelFormOf(itself).kind, LabelForm::Kind::kNone);
  EXPECT_EQ(LabelFormOf(itself).owners, 0u);
}

TEST(ModelOutputsTest, SeveralCutTheRowInTheirOrder) {
  const auto outputs = OutputsOf(
      WithHeads({Head(2, MeanSquaredError(), "place"), Head(5, SoftmaxCrossEntropy(), "kind"),
                 Head(6, MeanSquaredError(), "rebuilt").ComparedWithInput(),
                 Head(5, Focal(), "kind_too").LabelsOf("kind").LossWeight(0.25),
                 Head(1, BinaryCrossEntropy(), "answer")}));
  ASSERT_EQ(outputs.size(), 5u);
  const auto part = [&](size_t i) {
    return std::tuple(outputs[i].first_label, outputs[i].label_count, outputs[i].labels_from);
  };
  EXPECT_EQ(part(0), std::tuple(0, 2, 0u));
  EXPECT_EQ(part(1), std::tuple(2, 1, 1u));
  EXPECT_EQ(part(2), std::tuple(0, 0, 2u));
  EXPECT_EQ(part(3), std::tuple(2, 1, 1u));
  EXPECT_EQ(part(4), std::tuple(3, 1, 4u));
  EXPECT_EQ(outputs[3].conf.loss_weight, 0.25);
  const LabelForm form = LabelFormOf(outputs);
  EXPECT_EQ(form.kind, LabelForm::Kind::kNumbers);
  EXPECT_EQ(form.numbers, 4);
  EXPECT_EQ(form.owners, 3u);
}

TEST(ModelOutputsTest, SharedLabelsAreOneOutputs) {
  const auto outputs = OutputsOf(WithHeads({Head(3, SoftmaxCrossEntropy(), "a"),
                                            Head(3, SoftmaxCrossEntropy(), "b").LabelsOf("a"),
                                            Head(3, Focal(), "c").LabelsOf("b")}));
  EXPECT_EQ(outputs[2].labels_from, 0u);
  EXPECT_EQ(LabelFormOf(outputs).kind, LabelForm::Kind::kClass);
  EXPECT_EQ(LabelFormOf(outputs).classes, 3);
}

TEST(ModelOutputsTest, RoundTrip) {
  const ModelConfig model = WithHeads({Head(3, SoftmaxCrossEntropy(), "a").LossWeight(0.5),
                                       Head(3, SoftmaxCrossEntropy(), "b").LabelsOf("a")});
  const auto again = ModelFromJson(ToJson(model), "model");
  ASSERT_THAT(again, test::IsOk());
  EXPECT_EQ(*again, model);
}

TEST(ModelOutputsTest, MistakesAreFoundAndNamed) {
  const auto kind = Head(3, SoftmaxCrossEntropy(), "kind");
  const auto with = [&](const LayerConf& layer) { return Tasks().Layer(kind).Layer(layer); };
  EXPECT_THAT(OutputMistake(Tasks().Layer(kind).Layer(Output(2).Name("next"))),
              AllOf(HasSubstr("\"next\""), HasSubstr("reads \"kind\", which has a loss")));
  EXPECT_THAT(OutputMistake(with(Dense(3).Inputs({"kind"}))),
              HasSubstr("no output for other layers"));
  EXPECT_THAT(OutputMistake(with(Head(3, Focal(), "b").LabelsOf("kinds"))),
              AllOf(HasSubstr("\"b\""), HasSubstr("labels of \"kinds\", but no earlier output")));
  EXPECT_THAT(OutputMistake(with(Head(3, Focal(), "b").LabelsOf("body"))),
              HasSubstr("no earlier output has that name"));
  EXPECT_THAT(OutputMistake(with(Head(3, Focal(), "b").LabelsOf("b"))),
              HasSubstr("no earlier output has that name"));
  EXPECT_THAT(OutputMistake(with(Head(4, Focal(), "b").LabelsOf("kind"))),
              HasSubstr("(classes, 3 features), but needs other labels (classes, 4 features)"));
  EXPECT_THAT(OutputMistake(with(Head(3, MeanSquaredError(), "b").LabelsOf("kind"))),
              HasSubstr("needs other labels (numbers, 3 features)"));
  EXPECT_THAT(
      OutputMistake(with(Head(6, MeanSquaredError(), "b").ComparedWithInput().LabelsOf("kind"))),
      HasSubstr("is compared with no labels, but labels_of names \"kind\""));
  EXPECT_THAT(OutputMistake(Tasks()
                                .Layer(Head(6, MeanSquaredError(), "same").ComparedWithInput())
                                .Layer(Head(6, MeanSquaredError(), "b").LabelsOf("same"))),
              HasSubstr("which has no labels"));
  EXPECT_THAT(OutputMistake(with(Head(5, MeanSquaredError(), "b").ComparedWithInput())),
              AllOf(HasSubstr("\"b\""), HasSubstr("Set its units to 6")));
  EXPECT_THAT(OutputMistake(with(Head(2, SoftmaxCrossEntropy().BalancedClasses(), "b"))),
              HasSubstr("balanced class weights"));
  EXPECT_THAT(OutputMistake(with(Head(3, Focal(), "b").LossWeight(-1))), HasSubstr("weight is -1"));
  EXPECT_THAT(OutputMistake(Tasks().Layer(kind).Layer(Dense(2).Inputs({"body"}))),
              HasSubstr("last layer is not an output layer"));
}

TEST(ModelOutputsTest, LabelsAreOfExamplesOrOfTheirSteps) {
  const auto states = [] {
    return Sequential("steps").Input(Sequence(4, 3)).Layer(Gru(5).Name("states"));
  };
  const auto steps = Output(2).Loss(SoftmaxCrossEntropy()).Name("steps");
  EXPECT_THAT(OutputMistake(states()
                                .Layer(steps)
                                .Layer(LastStep().Inputs({"states"}))
                                .Layer(Output(3).Loss(SoftmaxCrossEntropy()).Name("whole"))),
              AllOf(HasSubstr("\"whole\""),
                    HasSubstr("compares 3 features with labels, but \"steps\" compares"),
                    HasSubstr("all labels must belong to examples, or all to steps")));
  EXPECT_EQ(OutputMistake(states().Layer(steps).Layer(
                Output(2).Loss(Focal()).Inputs({"states"}).LabelsOf("steps"))),
            "none");
  const auto both =
      states().Layer(steps).Layer(Output(2).Loss(MeanSquaredError()).Inputs({"states"})).Build();
  ASSERT_THAT(both, test::IsOk());
  const LabelForm form = LabelFormOf(OutputsOf(*both));
  EXPECT_EQ(form.kind, LabelForm::Kind::kNumbers);
  EXPECT_EQ(form.numbers, 3) << "of a step";
  EXPECT_EQ(form.steps, 4);
  EXPECT_THAT(OutputMistake(states()
                                .Layer(Output(2).Loss(Ctc()).Name("told"))
                                .Layer(Output(2).Loss(MeanSquaredError()).Inputs({"states"}))),
              AllOf(HasSubstr("\"told\""), HasSubstr("is compared with sequences of classes")));
}

TEST(ModelOutputsTest, SequencesOfClassesAreOfSequences) {
  EXPECT_THAT(
      OutputMistake(Tasks().Layer(Output(3).Loss(Ctc()).Name("told"))),
      AllOf(HasSubstr("\"told\""), HasSubstr("ctc compares sequences, but its input is 3")));
  const auto early = [](const LossConf& loss) {
    return Sequential("s")
        .Input(Sequence(4, 3))
        .Layer(Gru(5).Name("states"))
        .Layer(Output(3).Loss(Ctc()).Name("early"))
        .Layer(Gru(5).Inputs({"states"}))
        .Layer(Output(3).Loss(loss).LabelsOf("early"));
  };
  EXPECT_EQ(OutputMistake(early(Ctc())), "none");
  EXPECT_THAT(
      OutputMistake(early(SoftmaxCrossEntropy())),
      HasSubstr("(sequences of classes, 4 steps of 3 features), but needs other labels (classes,"));
}

TEST(ModelOutputsTest, NumberIsLimited) {
  const auto with = [](int64_t heads) {
    Sequential tasks = Tasks();
    for (int64_t i = 0; i < heads; ++i)
      tasks.Layer(Output(1).Loss(MeanSquaredError()).Inputs({"body"}));
    return OutputMistake(tasks);
  };
  EXPECT_EQ(with(limits::kMaxModelOutputs), "none");
  EXPECT_THAT(with(limits::kMaxModelOutputs + 1), HasSubstr("layers with a loss"));
}

}  // namespace
}  // namespace dl::nn
