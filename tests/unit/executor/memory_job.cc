#include "tests/unit/executor/memory_job.h"

#include "base/checksum.h"
#include "base/json.h"
#include "dataset/block_cutting.h"
#include "dataset/manifest.h"
#include "dataset/readers/array/idx_reader.h"
#include "job/job_builder.h"
#include "job/parameter_averaging.h"
#include "nn/conf/sequential.h"
#include "tests/support/generated_data.h"
#include "tests/support/temp_folder.h"

namespace dl::executor {

rpc::FetchJobReply MemoryJob::Documents() const {
  return {.spec = job::ToJson(spec).dump(), .train_manifest = train_manifest};
}

MemoryJob MakeMemoryJob(MemoryBlocks& source, double learning_rate, int workers) {
  const int examples = 64 * workers;
  const test::TempFolder folder;
  const test::ImageSet images = test::WriteImages(folder / "train", {.examples = examples});
  const auto table = dataset::ReadIdx({.features = images.features, .labels = images.labels});
  DL_CHECK(table.ok());
  const auto manifest = dataset::CutBlocks(*table, {}, source);
  DL_CHECK(manifest.ok());
  ParameterAveraging training;
  training.Workers(workers).BatchSizePerWorker(4).AveragingFrequency(16).Epochs(1);
  auto spec = job::Job("memory")
                  .Model(nn::Sequential("mlp")
                             .Seed(3)
                             .Updater(nn::Sgd(learning_rate))
                             .Input(nn::Image(1, 12, 12))
                             .Layer(nn::Output(4).Loss(nn::SoftmaxCrossEntropy())))
                  .Training(training)
                  .Train(data::Idx(images.features, images.labels))
                  .Build();
  DL_CHECK(spec.ok());
  spec->data.train = job::ManifestReference{
      .sha256 = Sha256Hex(dataset::ManifestToJson(*manifest)),
      .summary = {.examples = examples, .feature_shape = {1, 12, 12}, .classes = 4}};
  return {.blocks = std::make_shared<dataset::DecodedBlockCache>(source),
          .spec = *std::move(spec),
          .train_manifest = dataset::ManifestToJson(*manifest)};
}

}  // namespace dl::executor
