// Uploads of data by REST: a job on uploaded data has the bits of a job of dl-submit.
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/integration/page_browser.h"

namespace dl::test {
namespace {

class UploadsByHttpTest : public WebProcesses {};

TEST_F(UploadsByHttpTest, JobOnUploadedDataHasTheBitsOfAJobOfDlSubmit) {
  const std::string before = folder_ / "before", data = folder_ / "data";
  const Finished run =
      DlSubmit({"run", MakeJob(), "--master", "local[1]", "--data-dir", before, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  std::unique_ptr<ChildProcess> earlier, master;
  Start(earlier, {"master", "--port", "0", "--http", "0", "--data-dir", before});
  const std::string earlier_address = Address();
  Start(master, {"master", "--port", "0", "--http", "0", "--data-dir", data});
  const std::string url = ready_.value("url", ""), token = data + "/token";
  const Finished made = DlSubmit({"cluster", "token", "create", "--role", "read", "--master", url,
                                  "--token-file", token, "-o", folder_ / "read-token"});
  ASSERT_EQ(made.exit_code, 0) << made.errors;
  const auto executor = StartExecutor(token);
  ExpectPython("upload_client.py",
               {Address(), token, folder_ / "read-token", earlier_address, before + "/token",
                run.result().value("job", ""), folder_.path()});
}

}  // namespace
}  // namespace dl::test
