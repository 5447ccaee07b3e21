// Messages of dl-submit about labels that are numbers although the source does not say so.
#include "cli/exit_code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

using testing::HasSubstr;

// The table is read before the loss is compared with its labels.
TEST(LabelType, UndeclaredNumbersDoNotFitRegressionLoss) {
  const test::TempFolder folder;
  const std::string job = WriteSmallJob(folder.path()), data = folder / "data";
  const Ended run = DlSubmit({"run", job, "--data-dir", data, "--set", "model.layers.0.units=1",
                              "--set", "model.layers.0.loss=mean_squared_error"});
  EXPECT_EQ(run.code, kBadData) << run.err;
  EXPECT_THAT(run.err, HasSubstr("its labels are read as classes, but the loss is "
                                 "mean_squared_error"));
  EXPECT_THAT(run.err, HasSubstr("label_type to \"number\""));
  const Ended said =
      DlSubmit({"run", job, "--data-dir", data, "--set", "model.layers.0.units=1", "--set",
                "model.layers.0.loss=mean_squared_error", "--set", "data.train.label_type=number",
                "--set", "data.test.label_type=number"});
  EXPECT_EQ(said.code, kSuccess) << said.err;
}

}  // namespace
}  // namespace dl::cli
