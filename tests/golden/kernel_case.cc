// Computes the bits of a case.
#include <algorithm>
#include <map>

#include "base/checksum.h"
#include "base/json.h"
#include "base/philox.h"
#include "nn/backend/step_observer.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/segments.h"
#include "nn/network.h"
#include "tests/golden/kernel_models.h"

namespace dl::test {
namespace {

using namespace nn;  // NOLINT: as kernel_models.cc

// Lengths from about a quarter of the steps to all of them. Empty if lengths do not differ.
std::vector<int32_t> LengthsFor(const KernelCase& one, RandomStream& stream) {
  const InputType& input = one.model.inputs.front().type;
  if (!input.variable_length) return {};
  const int64_t least = input.Steps() / 4;
  std::vector<int32_t> lengths(one.batch);
  for (int32_t& length : lengths)
    length = static_cast<int32_t>(least + stream.Bounded(input.Steps() - least + 1));
  return lengths;
}

KernelSample MakeSample(const KernelCase& one) {
  KernelSample sample{.state = InitialState(one.model, 5, one.batch)};
  RandomStream stream({.seed = 17, .purpose = RandomPurpose::kForTests});
  sample.features.resize(one.batch * ElementsOf(one.model.inputs));
  const auto* embedding = std::get_if<Embedding>(&one.model.layers.front().conf);
  const int64_t outputs = one.model.output().units;
  const Labels& labels = LabelsOf(one.model.output().loss);
  const double min = std::max(-1.0, labels.min), max = std::min(1.0, labels.max);
  const bool predicts_inputs = one.model.output().compared_with == ComparedWith::kInput;
  for (float& value : sample.features) {
    value = embedding != nullptr ? static_cast<float>(stream.Bounded(embedding->indices))
            : predicts_inputs    ? static_cast<float>(min + (max - min) * stream.NextDouble())
                                 : static_cast<float>(2 * stream.NextDouble() - 1);
  }
  sample.lengths = LengthsFor(one, stream);
  const int64_t rows = one.batch * one.model.layers.back().output.Steps();
  if (labels.kind == Labels::Kind::kClass) {
    for (int64_t i = 0; i < rows; ++i)
      sample.labels.push_back(static_cast<int32_t>(stream.Bounded(outputs)));
    return sample;
  }
  if (labels.kind == Labels::Kind::kClassSequence) {  // labels for up to a third of the steps; the
                                                      // last ones may be missing
    const int64_t most = one.model.layers.back().output.Steps() / 3;
    for (int64_t i = 0; i < one.batch * most; ++i) {
      const bool ended = i % most > i / most % (most + 1);
      sample.labels.push_back(ended ? kNoLabel : static_cast<int32_t>(stream.Bounded(outputs - 1)));
    }
    return sample;
  }
  if (!one.model.output().IsComparedWithLabels()) return sample;
  sample.targets.resize(rows * outputs);
  for (float& value : sample.targets)
    value = static_cast<float>(min + (max - min) * stream.NextDouble());
  return sample;
}

// Ends the process if a kernel of oneDNN runs.
class OwnKernelsOnly : public StepObserver {
 public:
  void Begin(const StepPart& part) override {
    const bool is_kernel =
        part.kind == StepPart::Kind::kKernel || part.kind == StepPart::Kind::kReorder;
    DL_CHECK(!is_kernel || part.name.starts_with("own:"));
  }
  void End() override {}
};

void Add(Sha256& sha, std::span<const float> values) { sha.Update(std::as_bytes(values)); }

}  // namespace

// Creates each sample once, because most samples take longer than the steps.
const KernelSample& SampleFor(const KernelCase& one) {
  static std::map<std::string, KernelSample> samples;
  const auto [place, is_new] = samples.try_emplace(one.shapes);
  if (is_new) place->second = MakeSample(one);
  return place->second;
}

Minibatch KernelSample::BatchOf(const KernelCase& one) const {
  return {.examples = one.batch,
          .features = features,
          .labels = labels,
          .targets = targets,
          .lengths = lengths};
}

std::string BitsOf(const KernelCase& one, Precision precision, KernelSet kernels) {
  const KernelSample& sample = SampleFor(one);
  const std::unique_ptr<Network> network = Must(Network::Create(one.model, {.max_batch = one.batch,
                                                                            .threads = one.threads,
                                                                            .precision = precision,
                                                                            .kernels = kernels,
                                                                            .seed = 3}));
  DL_CHECK(network->Load(sample.state).ok());
  OwnKernelsOnly own_kernels;
  if (kernels == KernelSet::kPortable) network->Observe(&own_kernels);
  const Minibatch batch = sample.BatchOf(one);
  Sha256 sha;
  std::vector<float> gradient(network->table().SizeOf(SegmentKind::kParameter));
  std::vector<float> state(sample.state.size());
  for (int64_t step = 0; step < one.steps; ++step) {
    const StepContext context{
        .epoch = 1, .round = 2, .worker = 3, .step = step, .learning_rate = 0.05};
    const MetricSums sums = Must(step == 0 ? network->Gradient(batch, context, gradient)
                                           : network->TrainStep(batch, context));
    DL_CHECK(network->Store(state).ok());
    Add(sha, gradient);
    Add(sha, state);
    if (one.with_sums) sha.Update(JsonText(sums.ToJson()));
  }
  Add(sha, Must(network->Predict(batch)));
  return sha.HexDigest().substr(0, 16);
}

}  // namespace dl::test
