// Downloads of models, predictions, evaluations and examples by REST, compared with the commands
// that give the same: export, predict, evaluate and the data itself.
#include <cmath>
#include <set>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/job_builder.h"
#include "nn/conf/sequential.h"
#include "tests/integration/page_browser.h"

namespace dl::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::string> Lines(const std::string& text) {
  return absl::StrSplit(text, '\n', absl::SkipEmpty());
}

std::string BodyOf(const std::string& response) {
  return response.substr(response.find("\r\n\r\n") + 4);
}

class ModelsByHttpTest : public WebProcesses {
 protected:
  // Runs a job to its end, and returns its id.
  std::string Run(const std::string& file) {
    const Finished run =
        DlSubmit({"run", file, "--master", "local[1]", "--data-dir", data_, "--json"});
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    return run.result().value("job", "");
  }
  // A table with a number, a number that may be missing, and categories.
  std::string MakeTableJob() {
    rows_ = "wing,\"bill, mm\",nest,kind\n";
    for (int i = 0; i < 60; ++i) {
      absl::StrAppend(&rows_, 1000.25 + (i % 7) * 0.1, ",",
                      i % 5 == 4 ? "" : absl::StrCat(i % 3 - 0.3 * (i % 4)), ",",
                      i % 2 == 0 ? "\"tree \"\"top\"\"\"" : "cliff", ",",
                      i % 3 == 0 ? "auk" : "gull", "\n");
    }
    auto source = data::Csv(folder_.Write("birds.csv", rows_));
    source.OnMissing(job::MissingNumber::kMean, job::MissingCategory::kMostFrequent)
        .Categorical({"nest"});
    const auto spec = job::Job("birds")
                          .Model(nn::Sequential("birds")
                                     .Seed(3)
                                     .Updater(nn::Adam(0.02))
                                     .Input(nn::FeedForward(4))
                                     .Layer(nn::Dense(8).Activation(nn::Tanh()))
                                     .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy())))
                          .Training(ParameterAveraging().Workers(2).BatchSizePerWorker(8).Epochs(3))
                          .Train(std::move(source))
                          .Build();
    EXPECT_TRUE(spec.ok()) << DescribeError(spec.status());
    return WriteJob(folder_, "birds.json", *spec);
  }
  // Returns the rows of the table as JSON, without labels.
  static Json RowsOfTable(int count) {
    Json rows = Json::array();
    for (int i = 0; i < count; ++i) {
      rows.push_back({{"wing", 1000.25 + (i % 7) * 0.1},
                      {"bill, mm", i % 5 == 4 ? Json() : Json(i % 3 - 0.3 * (i % 4))},
                      {"nest", i % 2 == 0 ? "tree \"top\"" : "cliff"}});
    }
    return rows;
  }
  // Returns the lines that `predict` writes for a file.
  Json Predicted(const std::string& checkpoint, const std::string& file) {
    const std::string answers = folder_ / "answers.jsonl";
    const Finished predicted = DlSubmit(
        {"predict", checkpoint, "--data-dir", data_, "--data", file, "--no-labels", "-o", answers});
    EXPECT_EQ(predicted.exit_code, 0) << predicted.errors;
    Json lines = Json::array();
    for (const std::string& line : Lines(ReadFile(answers, 1 << 24).value_or("")))
      lines.push_back(Json::parse(line));
    return lines;
  }
  static Json Predictions(const PageBrowser& browser, const std::string& job, const Json& body) {
    const std::string response =
        browser.Send("POST", absl::StrCat("/api/v1/jobs/", job, "/predictions"), JsonText(body));
    EXPECT_THAT(response, StartsWith("HTTP/1.1 200 "));
    return Json::parse(BodyOf(response));
  }

  const std::string data_ = folder_ / "data";
  std::string rows_;
};

TEST_F(ModelsByHttpTest, DownloadIsTheFileOfExport) {
  const std::string job = Run(MakeJob());
  const std::string file = folder_ / "model.safetensors";
  ASSERT_EQ(DlSubmit({"export", job, "--data-dir", data_, "-o", file}).exit_code, 0);
  const std::string exported = ReadFile(file, 1 << 24).value_or("");
  ASSERT_GT(exported.size(), 1000u);
  const std::string target = absl::StrCat("/api/v1/jobs/", job, "/checkpoints/last/");
  const std::string model = target + "model.safetensors";

  std::unique_ptr<ChildProcess> ui, master;
  const PageBrowser folder = Start(ui, {"ui", data_, "--json"});
  EXPECT_TRUE(folder.Get(model) == exported);
  const PageBrowser browser =
      Start(master, {"master", "--port", "0", "--http", "0", "--data-dir", data_});
  const std::string whole = browser.Send("GET", model);
  EXPECT_THAT(whole, HasSubstr(absl::StrCat("Content-Length: ", exported.size(), "\r\n")));
  EXPECT_THAT(whole, HasSubstr(absl::StrCat("filename=\"", job, "@")));
  EXPECT_TRUE(BodyOf(whole) == exported);
  EXPECT_TRUE(folder.Get(model) == exported) << "while a master uses the folder";

  const std::string tag = whole.substr(whole.find("ETag: ") + 6);
  const std::string version = tag.substr(0, tag.find("\r\n"));
  const Json checkpoints = browser.GetJson("/api/v1/jobs/" + job + "/checkpoints");
  EXPECT_THAT(version, HasSubstr(checkpoints.back().value("state_sha256", "none")));
  EXPECT_THAT(browser.Send("GET", model, "", "If-None-Match: " + version + "\r\n"),
              StartsWith("HTTP/1.1 304 "));
  const std::string part = browser.Send("GET", model, "", "Range: bytes=100-899\r\n");
  EXPECT_THAT(part, StartsWith("HTTP/1.1 206 "));
  EXPECT_TRUE(BodyOf(part) == exported.substr(100, 800));
  EXPECT_THAT(browser.Send("GET", "/api/v1/jobs/" + job + "/checkpoints/777/model.safetensors"),
              StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(browser.Send("GET", "/api/v1/jobs/" + job + "/checkpoints/x/model.safetensors"),
              StartsWith("HTTP/1.1 400 "));
}

TEST_F(ModelsByHttpTest, CheckpointStaysUntilASlowDownloadHasEnded) {
  const auto spec = job::Job("wide")
                        .Model(nn::Sequential("wide")
                                   .Updater(nn::Sgd(0.01))
                                   .Input(nn::FeedForward(2))
                                   .Layer(nn::Dense(1500).Activation(nn::Tanh()))
                                   .Layer(nn::Dense(1500).Activation(nn::Tanh()))
                                   .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy())))
                        .Training(ParameterAveraging().Workers(1).BatchSizePerWorker(8).Epochs(1))
                        .Train(data::Csv(folder_.Write("t.csv", "a,b,c\n1,2,x\n2,1,y\n")))
                        .Build();
  ASSERT_TRUE(spec.ok()) << DescribeError(spec.status());
  const std::string job = Run(WriteJob(folder_, "wide.json", *spec));
  const std::string file = folder_ / "model.safetensors";
  ASSERT_EQ(DlSubmit({"export", job, "--data-dir", data_, "-o", file}).exit_code, 0);
  const std::string exported = ReadFile(file, 1 << 26).value_or("");
  ASSERT_GT(exported.size(), 8u << 20);
  std::unique_ptr<ChildProcess> master;
  const PageBrowser browser =
      Start(master, {"master", "--port", "0", "--http", "0", "--data-dir", data_});
  RawHttpClient slow(browser.port());
  slow.Send(browser.RequestFor(
      "GET", absl::StrCat("/api/v1/jobs/", job, "/checkpoints/best/model.safetensors")));
  // A set without a test has no best checkpoint.
  EXPECT_THAT(slow.ReadResponse(), StartsWith("HTTP/1.1 404 "));
  slow.Send(browser.RequestFor(
      "GET", absl::StrCat("/api/v1/jobs/", job, "/checkpoints/last/model.safetensors")));
  EXPECT_THAT(slow.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
  const std::string deleted = browser.Send("DELETE", "/api/v1/jobs/" + job);
  EXPECT_THAT(deleted, StartsWith("HTTP/1.1 429 "));
  EXPECT_THAT(deleted, HasSubstr("a client reads checkpoint " + job));
  EXPECT_TRUE(slow.ReadBytes(exported.size()) == exported);

  // Readers that have ended do not delay the deletion.
  const std::string model =
      absl::StrCat("/api/v1/jobs/", job, "/checkpoints/last/model.safetensors");
  RawHttpClient head(browser.port());
  head.Send(browser.RequestFor("HEAD", model));
  EXPECT_THAT(head.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(Predictions(browser, job, {{"rows", {{1, 2}}}})["predictions"].size(), 1u);
  ASSERT_EQ(DlSubmit({"export", job, "--data-dir", data_, "-o", folder_ / "again.npz"}).exit_code,
            0);
  EXPECT_THAT(browser.Send("DELETE", "/api/v1/jobs/" + job), StartsWith("HTTP/1.1 200 "));
}

TEST_F(ModelsByHttpTest, PartsOfAFileEndTheirReads) {
  const std::string job = Run(MakeJob());
  std::unique_ptr<ChildProcess> master;
  const PageBrowser browser =
      Start(master, {"master", "--port", "0", "--http", "0", "--data-dir", data_});
  const std::string model =
      absl::StrCat("/api/v1/jobs/", job, "/checkpoints/last/model.safetensors");
  EXPECT_THAT(browser.Send("GET", model, "", "Range: bytes=0-9\r\n"), StartsWith("HTTP/1.1 206 "));
  EXPECT_THAT(browser.Send("GET", model), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(browser.Send("DELETE", "/api/v1/jobs/" + job), StartsWith("HTTP/1.1 200 "));
}

TEST_F(ModelsByHttpTest, PredictionsForTablesAreThoseOfPredict) {
  const std::string job = Run(MakeTableJob());
  const Json expected = Predicted(job, folder_ / "birds.csv");
  ASSERT_EQ(expected.size(), 60u);
  std::unique_ptr<ChildProcess> ui, master;
  const PageBrowser folder = Start(ui, {"ui", data_, "--json"});
  const PageBrowser browser =
      Start(master, {"master", "--port", "0", "--http", "0", "--data-dir", data_});
  for (const PageBrowser* one : {&folder, &browser}) {
    const Json answer = Predictions(*one, job, {{"rows", RowsOfTable(60)}});
    EXPECT_EQ(answer["predictions"], expected);
    EXPECT_THAT(answer.value("checkpoint", ""), StartsWith(job + "@"));
  }
  // A loaded model answers again, also for fewer rows and for more classes.
  const Json two = Predictions(browser, job, {{"rows", RowsOfTable(2)}, {"top_k", 2}});
  ASSERT_EQ(two["predictions"].size(), 2u);
  EXPECT_EQ(two["predictions"][0]["class"], expected[0]["class"]);
  EXPECT_EQ(two["predictions"][0]["top"].size(), 2u);
  EXPECT_FALSE(two.contains("unknown_values"));
}

TEST_F(ModelsByHttpTest, UnknownCategoriesAreListedAsByPredict) {
  const std::string job = Run(MakeTableJob());
  const std::string file = folder_.Write("new.csv", "wing,\"bill, mm\",nest\n1000,1,swamp\n");
  const Finished predicted = DlSubmit({"predict", job, "--data-dir", data_, "--data", file,
                                       "--no-labels", "--json", "-o", folder_ / "answers"});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.errors;
  ASSERT_EQ(predicted.result()["unknown_values"].size(), 1u);
  std::unique_ptr<ChildProcess> ui;
  const PageBrowser browser = Start(ui, {"ui", data_, "--json"});
  const Json answer = Predictions(browser, job, {{"rows", {{1000, 1, "swamp"}}}});
  EXPECT_EQ(answer["unknown_values"], predicted.result()["unknown_values"]);
}

TEST_F(ModelsByHttpTest, PredictionsForImagesAreThoseOfPredict) {
  const std::string job = Run(MakeJob());
  std::string pixels;
  Json rows = Json::array();
  for (int i = 0; i < 7; ++i) {
    Json row = Json::array();
    for (int k = 0; k < 144; ++k) {
      pixels += static_cast<char>((i * 37 + k * 11) % 256);
      row.push_back((i * 37 + k * 11) % 256);
    }
    rows.push_back(row);
  }
  const std::string head("\x00\x00\x08\x03\x00\x00\x00\x07\x00\x00\x00\x0c\x00\x00\x00\x0c", 16);
  const Json expected = Predicted(job, folder_.Write("images-idx3-ubyte", head + pixels));
  ASSERT_EQ(expected.size(), 7u);
  std::unique_ptr<ChildProcess> master;
  const PageBrowser browser =
      Start(master, {"master", "--port", "0", "--http", "0", "--data-dir", data_});
  EXPECT_EQ(Predictions(browser, job, {{"rows", rows}})["predictions"], expected);
}

TEST_F(ModelsByHttpTest, WrongRowsAndTooManyAreRefusedWithASentence) {
  const std::string job = Run(MakeTableJob());
  std::unique_ptr<ChildProcess> master;
  const PageBrowser browser =
      Start(master, {"master", "--port", "0", "--http", "0", "--data-dir", data_});
  const std::string target = absl::StrCat("/api/v1/jobs/", job, "/predictions");
  const std::tuple<std::string, const char*, const char*> cases[] = {
      {JsonText({{"rows", RowsOfTable(1001)}}), "400", "dl-submit predict"},
      {R"({"rows":[]})", "400", "at least one row"},
      {R"({"rows":[{"wing":1}]})", "400", "rows[0]"},
      {R"({"rows":[[1,2,"cliff"]],"round":777})", "404", "no checkpoint"},
      {R"({"rows":[[1,2,"cliff"]],"layer":"x"})", "400", "layer"},
      {"", "400", "body"},
  };
  for (const auto& [body, status, text] : cases) {
    const std::string response = browser.Send("POST", target, body);
    EXPECT_THAT(response, StartsWith(absl::StrCat("HTTP/1.1 ", status, " "))) << text;
    EXPECT_THAT(response, HasSubstr(text));
  }
  RawHttpClient large(browser.port());
  large.Send(absl::StrCat("POST ", target, " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ",
                          Lines(ReadFile(data_ + "/token", 4096).value_or("none\n"))[0],
                          "\r\nContent-Length: 8388609\r\n\r\n"));
  const std::string refused = large.ReadResponse();
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(refused, HasSubstr("dl-submit predict"));
}

TEST_F(ModelsByHttpTest, MasterWithoutPredictionsRefusesThem) {
  const std::string job = Run(MakeTableJob());
  std::unique_ptr<ChildProcess> master;
  const PageBrowser browser = Start(
      master, {"master", "--port", "0", "--http", "0", "--no-predictions", "--data-dir", data_});
  const std::string response = browser.Send(
      "POST", absl::StrCat("/api/v1/jobs/", job, "/predictions"), R"({"rows":[[1,2,"cliff"]]})");
  EXPECT_THAT(response, StartsWith("HTTP/1.1 501 "));
  EXPECT_THAT(response, HasSubstr("dl-submit predict"));
  const Finished without =
      DlSubmit({"master", "--port", "0", "--no-predictions", "--data-dir", folder_ / "other"});
  EXPECT_EQ(without.exit_code, 2);
}

TEST_F(ModelsByHttpTest, SamplesAreTheExamplesOfTheData) {
  const std::string job = Run(MakeTableJob());
  std::unique_ptr<ChildProcess> ui;
  const PageBrowser browser = Start(ui, {"ui", data_, "--json"});
  const std::string target = absl::StrCat("/api/v1/jobs/", job, "/dataset/samples");
  const Json answer = browser.GetJson(target + "?count=60");
  EXPECT_EQ(answer["examples"], 60);
  ASSERT_EQ(answer["samples"].size(), 60u);
  const Json rows = RowsOfTable(60);
  std::set<int> seen;
  for (const Json& sample : answer["samples"]) {
    const int id = sample["id"];
    EXPECT_TRUE(seen.insert(id).second);
    EXPECT_EQ(sample["label"], id % 3 == 0 ? "auk" : "gull");
    EXPECT_EQ(sample["values"]["nest"], rows[id]["nest"]);
    EXPECT_NEAR(sample["values"]["wing"].get<double>(), rows[id]["wing"].get<double>(), 1e-4);
    if (rows[id]["bill, mm"].is_number()) {
      EXPECT_NEAR(sample["values"]["bill, mm"].get<double>(), rows[id]["bill, mm"].get<double>(),
                  1e-6);
    } else {
      EXPECT_EQ(sample["values"]["bill, mm"], nullptr) << "missing";
    }
  }
  EXPECT_EQ(browser.GetJson(target + "?first=58&count=9")["samples"].size(), 2u);
  EXPECT_THAT(browser.Send("GET", target + "?first=60"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(browser.Send("GET", target + "?set=test"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(browser.Send("GET", target + "?set=all"), StartsWith("HTTP/1.1 400 "));
  const std::string images = Run(MakeJob());
  const Json picture = browser.GetJson(
      absl::StrCat("/api/v1/jobs/", images, "/dataset/samples?count=3"))["samples"][0];
  EXPECT_THAT(picture.value("image", ""), StartsWith("data:image/png;base64,iVBORw0KGgo"));
}

TEST_F(ModelsByHttpTest, EvaluationOfACheckpointIsThatOfTheCommand) {
  // A model that has learned nothing, and has a penalty of its weights.
  const Finished run = DlSubmit(
      {"run", WriteJob(folder_, "cnn.json", MakeSample(folder_, {.job = SampleJob::kCnnKeep})),
       "--master", "local[1]", "--data-dir", data_, "--json", "--set",
       "model.updater.learning_rate=1e-9", "--set", "model.l2=0.01"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const std::string job = run.result().value("job", "");
  const Finished evaluated = DlSubmit({"evaluate", job, "--data-dir", data_, "--json"});
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.errors;
  Json expected = evaluated.lines.at(0);
  EXPECT_TRUE(expected.contains("weight_penalty"));
  EXPECT_TRUE(expected["classes"][0].contains("curve"));
  std::unique_ptr<ChildProcess> ui, master;
  const PageBrowser folder = Start(ui, {"ui", data_, "--json"});
  const PageBrowser browser =
      Start(master, {"master", "--port", "0", "--http", "0", "--data-dir", data_});
  const std::string target = absl::StrCat("/api/v1/jobs/", job, "/checkpoints/last/evaluation");
  const Json answer = browser.GetJson(target);
  EXPECT_EQ(folder.GetJson(target), answer);
  EXPECT_EQ(answer["checkpoint"], expected["checkpoint"]);
  EXPECT_EQ(answer["state_sha256"], expected["state_sha256"]);
  EXPECT_EQ(answer["examined"], answer["examples"]);
  for (const char* key : {"checkpoint", "state_sha256"}) expected.erase(key);
  EXPECT_EQ(answer["figures"], expected);
  const auto all = answer["examples"].get<double>();
  EXPECT_EQ(answer["wrong"].get<double>(),
            std::round(all * (1 - expected["accuracy"].get<double>())));

  ASSERT_GT(answer["mistakes"].size(), 1u);
  double before = 1e9;
  for (const Json& mistake : answer["mistakes"]) {
    EXPECT_NE(mistake["predicted"], mistake["label"]);
    EXPECT_LE(mistake["loss"].get<double>(), before);
    before = mistake["loss"].get<double>();
    EXPECT_NEAR(before, -std::log(mistake["label_probability"].get<double>()), 1e-5);
    const Json sample = browser.GetJson(absl::StrCat(
        "/api/v1/jobs/", job,
        "/dataset/samples?set=test&count=1&first=", mistake["index"].get<int64_t>()))["samples"][0];
    EXPECT_EQ(sample["id"], mistake["id"]);
    EXPECT_EQ(sample["label"], mistake["label"]);
  }
  const std::string picture =
      browser.Get(absl::StrCat("/jobs/", job, "/data/pictures/",
                               answer["mistakes"][0]["index"].get<int64_t>(), "?set=test"));
  EXPECT_THAT(picture, StartsWith("\x89PNG"));
  EXPECT_THAT(browser.Get(absl::StrCat("/jobs/", job, "/evaluation/checkpoint")),
              HasSubstr("/data/pictures/"));
  EXPECT_EQ(browser.GetJson(target + "?mistakes=1")["mistakes"].size(), 1u);
  EXPECT_THAT(
      browser.Send("GET", absl::StrCat("/api/v1/jobs/", job, "/checkpoints/777/evaluation")),
      StartsWith("HTTP/1.1 404 "));
}

TEST_F(ModelsByHttpTest, JobWithoutATestSetIsNotEvaluated) {
  const std::string job = Run(MakeTableJob());
  std::unique_ptr<ChildProcess> master;
  const PageBrowser browser = Start(
      master, {"master", "--port", "0", "--http", "0", "--no-predictions", "--data-dir", data_});
  const std::string target = absl::StrCat("/api/v1/jobs/", job, "/checkpoints/last/evaluation");
  const std::string refused = browser.Send("GET", target);
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 501 "));
  EXPECT_THAT(refused, HasSubstr("dl-submit evaluate"));
  EXPECT_THAT(browser.Get(absl::StrCat("/jobs/", job, "/evaluation")),
              HasSubstr("The job has no test set"));
  std::unique_ptr<ChildProcess> ui;
  EXPECT_THAT(Start(ui, {"ui", data_, "--json"}).Send("GET", target), StartsWith("HTTP/1.1 404 "));
}

}  // namespace
}  // namespace dl::test
