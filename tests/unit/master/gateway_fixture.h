// A gateway over stores in a folder, with a merge engine and without executors.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/checksum.h"
#include "dataset/manifest.h"
#include "job/job_builder.h"
#include "job/parameter_averaging.h"
#include "master/gateway/core_shell.h"
#include "master/gateway/gateway.h"
#include "master/job_definition.h"
#include "nn/conf/sequential.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/master/held_store.h"

namespace dl::master {

class GatewayTest : public testing::Test {
 protected:
  static constexpr Duration kLong = std::chrono::seconds(60);

  ~GatewayTest() override { store_.Release(); }

  void Start(CoreOptions core = {}, const RetentionPolicy& kept = {}) {
    gateway_ = std::make_unique<Gateway>(Gateway::Options{
        .core = core,
        .meta = &store_,
        .blobs = blobs_.get(),
        .checkpoints = &checkpoints_,
        .kept = kept,
        .on_fatal = [](const Status& why) { ADD_FAILURE() << DescribeError(why); }});
  }

  // Starts only the core and its writer. Accepts any number of waiting events.
  void StartShell(CoreOptions core = {}) {
    shell_ = std::make_unique<CoreShell>(CoreShell::Options{
        .core = core, .meta = &store_, .log = &log_, .on_fatal = [](const Status& why) {
          ADD_FAILURE() << DescribeError(why);
        }});
    shell_->Start({}, [this](std::vector<Effect>& effects) {
      for (Effect& effect : effects) {
        if (auto* answer = std::get_if<Answer>(&effect)) shell_->Deliver(*answer);
      }
    });
  }
  void PostToShell(const std::string& request_id, const rpc::SubmitRequest& request) {
    auto definition =
        DefinitionFromDocuments("", request.spec, request.train_manifest, request.test_manifest);
    DL_ASSERT_OK(definition);
    shell_->Post(Asked<master::Submission>{.request = {.request_id = request_id,
                                                       .definition = *std::move(definition),
                                                       .spec = request.spec,
                                                       .train_manifest = request.train_manifest}});
  }

  // Returns a submission whose manifest has about `bytes` bytes, because a class has a long name.
  rpc::SubmitRequest Submission(const std::string& request_id, size_t bytes) {
    const std::string content = "block";
    const storage::Blob block{Sha256Hex(content), std::as_bytes(std::span(content))};
    DL_EXPECT_OK(blobs_->Put(std::span(&block, 1)));
    dataset::Manifest manifest;
    manifest.schema = {
        .feature_shape = {1, 2, 2},
        .features = dataset::ByteFeatures{},
        .labels = dataset::ClassLabels{.classes = 2, .names = {"a", std::string(bytes, 'b')}}};
    manifest.examples = 8;
    manifest.class_histogram = {4, 4};
    manifest.blocks = {{.sha256 = block.sha256, .examples = 8, .bytes = 5}};
    manifest.content_fingerprint = block.sha256;
    auto spec = job::Job("large")
                    .Model(nn::Sequential("mlp")
                               .Updater(nn::Sgd(0.1))
                               .Input(nn::Image(1, 2, 2))
                               .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy())))
                    .Training(ParameterAveraging().Workers(1).BatchSizePerWorker(4).Epochs(1))
                    .Train(data::Idx("features", "labels"))
                    .Build();
    DL_EXPECT_OK(spec);
    spec->data.train = job::ManifestReference{
        .sha256 = Sha256Hex(dataset::ManifestToJson(manifest)),
        .summary = {.examples = 8, .feature_shape = {1, 2, 2}, .classes = 2}};
    return {.request_id = request_id,
            .spec = job::ToJson(*spec).dump(),
            .train_manifest = dataset::ManifestToJson(manifest)};
  }

  StatusOr<std::string> Fetch(const std::string& name, int64_t offset, int64_t length) {
    DL_ASSIGN_OR_RETURN(
        rpc::Chunk chunk,
        gateway_->FetchCheckpoint({.sha256 = name, .offset = offset, .length = length}, kLong));
    EXPECT_EQ(chunk.offset, offset);
    EXPECT_EQ(chunk.chunk_xxh3, Xxh3(chunk.bytes));
    return chunk.bytes;
  }

  test::TempFolder folder_;
  HeldStore store_;
  std::unique_ptr<storage::BulkDatabase> bulk_ =
      *storage::BulkDatabase::Open(folder_.path(), "bulk", {.min_free_bytes = 0});
  std::unique_ptr<storage::BlobStore> blobs_ = *storage::BlobStore::Open(*bulk_);
  storage::CheckpointStore checkpoints_{*bulk_};
  std::unique_ptr<Gateway> gateway_;
  LogLines log_;
  std::unique_ptr<CoreShell> shell_;
};

}  // namespace dl::master
