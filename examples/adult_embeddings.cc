// A table with categories: Adult (UCI's census income). Each categorical column is a number that
// selects a row of its own embedding. The embeddings are concatenated with the standardized
// numbers. Pass the training and the test table after "--". Their header is age,workclass,...,
// native-country,income. The column fnlwgt, a weight of the survey, is excluded:
//
//   dl-submit run adult_embeddings -- adult_train.csv.zst adult_test.csv.zst
#include "absl/strings/str_cat.h"
#include "job/job_builder.h"
#include "launch/job_main.h"

namespace {

struct Column {
  const char* name;
  int64_t categories = 0;  // in the training set, including the missing value; 0: a number
  int64_t units = 0;       // of the embedding
};

// In the order of the file. Each column is an input of the model, which splits the row in this
// order.
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
    // The additional row is for categories that only the test set has: they get the number after
    // the last one.
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
      .LabelSuffix(".")  // labels of the test set end with a dot
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
      .Normalizer(job::NormalizerChoice::kStandardize)  // applies to numbers, not to categories
      .Build();
}

}  // namespace

int main(int argc, char** argv) { return dl::launch::JobMain(argc, argv, MakeJob); }
