#include "nn/backend/step_observer.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/network.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

using testing::ElementsAre;
using Kind = StepPart::Kind;

// Records the parts as words: "forward dense1". Kernels are counted by part.
class Recorder : public StepObserver {
 public:
  void Begin(const StepPart& part) override {
    static constexpr const char* kWords[] = {"inputs", "forward", "backward",
                                             "losses", "update",  "kernel"};
    ++open_;
    if (part.kind == Kind::kKernel || part.kind == Kind::kReorder) {
      kernels.emplace_back(part.name);
      deepest = std::max(deepest, open_);
      return;
    }
    std::string word = kWords[static_cast<int>(part.kind)];
    if (!part.name.empty()) word += " " + std::string(part.name);
    if (parts.empty() || parts.back() != word) parts.push_back(word);
  }
  void End() override { --open_; }

  std::vector<std::string> parts, kernels;
  int deepest = 0;
  int open() const { return open_; }

 private:
  int open_ = 0;
};

class StepObserverTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto model = Sequential("m")
                           .Input(FeedForward(3))
                           .Layer(Dense(4).Activation(Tanh()))
                           .Layer(Output(2).Loss(SoftmaxCrossEntropy()))
                           .Build();
    DL_ASSERT_OK(model);
    auto network = Network::Create(*model, {.max_batch = 2});
    DL_ASSERT_OK(network);
    network_ = *std::move(network);
    DL_ASSERT_OK(network_->Load(InitialState(*model, 1)));
  }

  void Step() {
    DL_ASSERT_OK(network_->TrainStep({.examples = 2, .features = features_, .labels = labels_},
                                     {.learning_rate = 0.1}));
  }
  std::vector<float> State() const {
    std::vector<float> state(network_->table().size());
    EXPECT_TRUE(network_->Store(state).ok());
    return state;
  }

  std::unique_ptr<Network> network_;
  std::vector<float> features_ = {1, 2, 3, -1, 0.5, 2};
  std::vector<int32_t> labels_ = {0, 1};
};

TEST_F(StepObserverTest, SeesLayersInOrderOfComputation) {
  Recorder recorder;
  network_->Observe(&recorder);
  Step();
  EXPECT_THAT(recorder.parts,
              ElementsAre("inputs", "forward dense1", "forward output1", "losses",
                          "backward output1", "update", "backward dense1", "update"));
  EXPECT_EQ(recorder.open(), 0);
}

TEST_F(StepObserverTest, SeesKernelsWithinLayersByName) {
  Recorder recorder;
  network_->Observe(&recorder);
  Step();
  EXPECT_EQ(recorder.deepest, 2);
  const auto count = [&](const char* beginning) {
    return std::ranges::count_if(recorder.kernels, [&](const std::string& name) {
      return absl::StartsWith(name, beginning);
    });
  };
  // The first layer has no gradient of its input.
  EXPECT_EQ(count("inner_product forward"), 2);
  EXPECT_EQ(count("inner_product backward_weights"), 2);
  EXPECT_EQ(count("inner_product backward_data"), 1);
}

TEST_F(StepObserverTest, ChangesNoBitAndEnds) {
  Recorder recorder;
  network_->Observe(&recorder);
  Step();
  const std::vector<float> observed = State();
  network_->Observe(nullptr);
  const size_t parts = recorder.parts.size();
  DL_ASSERT_OK(network_->Load(InitialState(network_->model(), 1)));
  Step();
  EXPECT_EQ(recorder.parts.size(), parts);
  EXPECT_EQ(State(), observed);
}

// The forward step of an embedding fails within its part.
TEST(StepObserver, PartsEndAfterError) {
  const auto model = Sequential("m")
                         .Input(Sequence(2, 1))
                         .Layer(Embedding(5, 3))
                         .Layer(Output(2).Loss(SoftmaxCrossEntropy()))
                         .Build();
  DL_ASSERT_OK(model);
  const auto network = Network::Create(*model, {.max_batch = 1});
  DL_ASSERT_OK(network);
  Recorder recorder;
  (*network)->Observe(&recorder);
  const std::vector<float> features{1, 99};
  const std::vector<int32_t> labels{0, 1};
  EXPECT_FALSE(
      (*network)->TrainStep({.examples = 1, .features = features, .labels = labels}, {}).ok());
  EXPECT_THAT(recorder.parts, ElementsAre("inputs", "forward embedding1"));
  EXPECT_EQ(recorder.open(), 0);
}

}  // namespace
}  // namespace dl::nn
