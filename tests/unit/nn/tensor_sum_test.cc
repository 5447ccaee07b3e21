#include "nn/layers/tensor_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "nn/backend/layout.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

constexpr int64_t kRows = 3, kColumns = 5;

// A plan of tensors without parameters, and its memory.
class TensorsOnly : public PlanBuilder, public PlanMemory {
 public:
  Purpose purpose() const override { return Purpose::kTraining; }
  ArenaPlan& arena() override { return arena_; }
  KernelSet kernels() const override { return KernelSet::kNative; }
  Precision precision() const override { return Precision::kFloat32; }
  DataType OutputType() const override { return DataType::kFloat32; }
  StatusOr<ParameterId> Parameter(std::string_view, std::string_view) override {
    return Internal({.message = "no parameters"});
  }
  Status SetParameterLayout(ParameterId, const Layout&, const Layout&) override {
    return Internal({.message = "no parameters"});
  }
  void RequestWeightCopy(ParameterId, const Layout&, const Layout&) override {}
  StatusOr<CarriedId> Carried(std::string_view, std::string_view) override {
    return Internal({.message = "no states"});
  }
  void* Untyped(BufferId id) const override {
    return id == kNoBuffer ? nullptr : floats_.data() + arena_.offset(id) / kFloat;
  }
  float* Parameter(ParameterId) const override { return nullptr; }
  float* Gradient(ParameterId) const override { return nullptr; }
  void* WeightCopy(ParameterId, const Layout&) const override { return nullptr; }
  TouchedRows* Touched(ParameterId) const override { return nullptr; }
  float* Carried(CarriedId) const override { return nullptr; }
  const int32_t* Lengths() const override { return nullptr; }
  const std::vector<int32_t>& CountedRows(size_t) const override { return no_rows_; }

  Tensor Add(Tensor::Keep keep) {
    const int64_t dims[] = {kRows, kColumns};
    const Layout layout = Layout::Plain(dims);
    return {.layout = layout, .buffer = arena_.Add(layout), .keep = keep};
  }
  void Place() { floats_.resize(arena_.Place() / kFloat); }
  std::span<float> Values(const Tensor& tensor) const {
    return {static_cast<float*>(Untyped(tensor.buffer)), kRows * kColumns};
  }

 private:
  static constexpr int64_t kFloat = sizeof(float);

  void* Typed(BufferId id, DataType) const override { return Untyped(id); }

  ArenaPlan arena_;
  std::vector<int32_t> no_rows_;
  mutable std::vector<float> floats_;
};

enum class Place { kOfSum, kOfTerm, kNew };

// Adds 1, 2, 3... and 100. Returns where the sum is. Expects that operands which are needed later
// keep their values.
Place PlaceOfSum(Tensor::Keep keep_sum, Tensor::Keep keep_term) {
  TensorsOnly plan;
  const Tensor sum = plan.Add(keep_sum), term = plan.Add(keep_term);
  plan.arena().Advance();
  TensorSum adder;
  const auto result = adder.Plan(plan, sum, term);
  DL_EXPECT_OK(result);
  EXPECT_TRUE(result->keep == Tensor::Keep::kFree);
  plan.arena().Advance();
  // Lives while later steps read: needed operands, and the result.
  plan.arena().Use(result->buffer);
  for (const Tensor& operand : {sum, term}) {
    if (operand.keep == Tensor::Keep::kNeeded) plan.arena().Use(operand.buffer);
  }
  plan.Place();
  DL_EXPECT_OK(adder.Bind(plan));
  std::vector<float> numbers(kRows * kColumns), expected;
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i + 1);
  for (const float number : numbers) expected.push_back(number + 100);
  std::ranges::copy(numbers, plan.Values(sum).begin());
  std::ranges::fill(plan.Values(term), 100.0f);
  DL_EXPECT_OK(adder.Run());
  EXPECT_TRUE(std::ranges::equal(plan.Values(*result), expected));
  if (keep_sum == Tensor::Keep::kNeeded) {
    EXPECT_TRUE(std::ranges::equal(plan.Values(sum), numbers));
  }
  if (keep_term == Tensor::Keep::kNeeded) {
    EXPECT_EQ(std::ranges::count(plan.Values(term), 100.0f), kRows * kColumns);
  }
  if (result->buffer == sum.buffer) return Place::kOfSum;
  return result->buffer == term.buffer ? Place::kOfTerm : Place::kNew;
}

TEST(TensorSum, IsInAnOperandThatNoLaterStepReads) {
  constexpr auto kFree = Tensor::Keep::kFree, kNeeded = Tensor::Keep::kNeeded;
  EXPECT_EQ(PlaceOfSum(kFree, kFree), Place::kOfSum);
  EXPECT_EQ(PlaceOfSum(kFree, kNeeded), Place::kOfSum);
  EXPECT_EQ(PlaceOfSum(kNeeded, kFree), Place::kOfTerm);
  EXPECT_EQ(PlaceOfSum(kNeeded, kNeeded), Place::kNew);
}

}  // namespace
}  // namespace dl::nn
