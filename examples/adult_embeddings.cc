// A table with categories on Adult (UCI's census income): each column of words is a number that
// picks a row of an embedding of its own, and what these give is joined with the standardized
// numbers. Training and test set are named where the job is started, behind "--"; they have the
// header age,workclass,...,native-country,income, and fnlwgt, a weight of the survey, is left out:
//
//   dl-submit run adult_embeddings -- adult_train.csv.zst adult_test.csv.zst
#include "absl/strings/str_cat.h"
#include "job/job_builder.h"
#include "launch/job_main.h"

namespace {

struct Column {
  const char* name;
  int64_t categories = 0;  // of the training set, a missing value among them; 0: a number
  int64_t units = 0;       // of the embedding
};

// As they lie in the file: each is an input of the model, which cuts the row in this order.
constexpr Column kColumns[] = {
    {"age"},
    {"workclass", 9, 4},
    {"education", 16, 6},
    {"education-num"},
    {"marital-status", 7, 4},
    {"occupation", 15, 6},
    {"relationship", 6, 4},
    {"race", 5, 3},
    {"sex", 2, 1},
    {"capital-gain"},
    {"capital-loss"},
    {"hours-per-week"},
    {"native-country", 42, 8},
};

dl::nn::Sequential MakeModel() {
  using namespace dl;  // NOLINT: the builder reads better
  nn::Sequential model("adult-embeddings");
  model.Updater(nn::Adam(nn::CosineSchedule(0.002)));
  std::vector<std::string> joined;
  for (const Column& column : kColumns) {
    model.Input(column.name, nn::FeedForward(1));
    joined.push_back(column.name);
    if (column.categories == 0) continue;
    joined.back() = absl::StrCat("embedded-", column.name);
    // One row more: a category that only the test set has is the number behind the last.
    model.Layer(nn::Embedding(column.categories + 1, column.units)
                    .Inputs({column.name})
                    .Name(joined.back()));
  }
  return model.Layer(nn::Concat().Inputs(joined))
      .Layer(nn::Dense(64).Activation(nn::Relu()))
      .Layer(nn::Dropout(0.2))
      .Layer(nn::Dense(32).Activation(nn::Relu()))
      .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy()));
}

dl::job::CsvSource Table(const std::string& path) {
  using namespace dl::job;  // NOLINT: the builder reads better
  return dl::data::Csv(path)
      .LabelColumn("income")
      .LabelSuffix(".")  // of the test set's labels
      .ExcludeColumns({"fnlwgt"})
      .FindCategorical()
      .CategoriesAs(CategoryEncoding::kIndex)
      .OnMissing(MissingNumber::kError, MissingCategory::kOwnClass);
}

dl::StatusOr<dl::job::JobSpec> MakeJob(const std::vector<std::string>& arguments) {
  using namespace dl;  // NOLINT: the builder reads better
  if (arguments.size() != 2) {
    return InvalidArgument(
        {.message = absl::StrCat("there are two tables, one to train on and one to test with, and ",
                                 arguments.size(), " are named"),
         .remedy = "Name two files behind --"});
  }
  return job::Job("adult-embeddings")
      .Seed(1)
      .Model(MakeModel())
      .Training(
          ParameterAveraging().Workers(2).BatchSizePerWorker(64).AveragingFrequency(8).Epochs(8))
      .Train(Table(arguments[0]))
      .Test(Table(arguments[1]))
      .Normalizer(job::NormalizerChoice::kStandardize)  // of the numbers: categories stay
      .Build();
}

}  // namespace

int main(int argc, char** argv) { return dl::launch::JobMain(argc, argv, MakeJob); }
