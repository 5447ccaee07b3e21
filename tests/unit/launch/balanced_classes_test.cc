#include "launch/import/balanced_classes.h"

#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/describe.h"
#include "job/job_builder.h"
#include "launch/submission.h"
#include "master/job_definition.h"
#include "nn/conf/losses/loss_registry.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/rpc/fake_master.h"

namespace dl::launch {
namespace {

using test::IsError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kRows = "x,label\n1,a\n2,b\n3,a\n4,a\n5,c\n6,c\n";

class BalancedClasses : public testing::Test {
 protected:
  StatusOr<job::JobSpec> Job(const nn::LossConf& loss, int64_t classes = 3) {
    job::Job job("balanced");
    nn::Output output(classes);
    output.loss = loss;
    job.Model(nn::Sequential("line").Input(nn::FeedForward(1)).Layer(output))
        .Train(data::Csv(folder_.Write("rows.csv", kRows)));
    return job.Build();
  }
  StatusOr<ImportedJob> Import(const nn::LossConf& loss) {
    DL_ASSIGN_OR_RETURN(const job::JobSpec spec, Job(loss));
    return ImportJob(spec, {}, master_);
  }

  test::TempFolder folder_;
  rpc::FakeMaster master_;
};

// Six labels of three classes: three of a, one of b, two of c.
TEST_F(BalancedClasses, SubmittedJobHasNumbers) {
  const auto imported = Import(nn::SoftmaxCrossEntropy().BalancedClasses());
  DL_ASSERT_OK(imported);
  const auto loss = std::get<nn::SoftmaxCrossEntropy>(imported->spec.model.output().loss);
  EXPECT_THAT(loss.class_weights.values, ElementsAre(6.0 / 9, 2, 1));
  EXPECT_FALSE(loss.class_weights.balanced);
  EXPECT_THAT(job::FormatJob(imported->spec), HasSubstr("0.6666666666666666"));
  const auto focal = Import(nn::Focal(1).BalancedClasses());
  DL_ASSERT_OK(focal);
  EXPECT_EQ(std::get<nn::Focal>(focal->spec.model.output().loss),
            nn::Focal(1).ClassWeights({6.0 / 9, 2, 1}));
}

TEST_F(BalancedClasses, OtherWeightsAreUnchanged) {
  for (const nn::LossConf& loss : {nn::LossConf(nn::SoftmaxCrossEntropy().ClassWeights({3, 1})),
                                   nn::LossConf(nn::SoftmaxCrossEntropy())}) {
    const auto imported = Import(loss);
    DL_ASSERT_OK(imported);
    EXPECT_EQ(imported->spec.model.output().loss, loss);
  }
}

TEST_F(BalancedClasses, ClassWithoutExampleIsNamed) {
  const auto imported = Import(nn::SoftmaxCrossEntropy());
  DL_ASSERT_OK(imported);
  Json manifest = Json::parse(imported->train_manifest);
  manifest["class_histogram"] = {4, 0, 2};
  auto spec = Job(nn::SoftmaxCrossEntropy().BalancedClasses());
  DL_ASSERT_OK(spec);
  const Status none = BalanceClasses(manifest.dump(), spec->model);
  EXPECT_THAT(none, IsError(absl::StatusCode::kInvalidArgument, "class 1 (\"b\") has 0 labels"));
  EXPECT_THAT(ErrorWhere(none), HasSubstr("loss.class_weights"));
}

// A program may submit a spec without dl-submit.
TEST_F(BalancedClasses, MasterAcceptsOnlyNumbers) {
  auto imported = Import(nn::SoftmaxCrossEntropy().BalancedClasses());
  DL_ASSERT_OK(imported);
  const auto define = [&] {
    return master::DefinitionFromDocuments("job-1", job::FormatJob(imported->spec),
                                           imported->train_manifest, "")
        .status();
  };
  DL_EXPECT_OK(define());
  std::get<nn::Output>(imported->spec.model.layers.back().conf).loss =
      nn::SoftmaxCrossEntropy().BalancedClasses();
  EXPECT_THAT(define(), IsError(absl::StatusCode::kInvalidArgument, "balanced"));
}

}  // namespace
}  // namespace dl::launch
