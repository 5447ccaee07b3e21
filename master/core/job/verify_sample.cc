#include "master/core/job/verify_sample.h"

#include "base/checksum.h"
#include "base/philox.h"

namespace dl::master {
namespace {

// Flags that separate the samples of a round. Workers and evaluation units have numbers below both.
constexpr uint64_t kOfSums = uint64_t{1} << 63;
constexpr uint64_t kOfEvaluation = uint64_t{1} << 62;

bool IsSampled(const JobDefinition& definition, uint64_t secret, int64_t round, uint64_t what) {
  if (definition.verify_fraction <= 0) return false;
  RandomStream stream({.seed = definition.seed ^ secret,
                       .purpose = RandomPurpose::kVerifySample,
                       .a = static_cast<uint64_t>(round),
                       .b = what});
  return stream.NextDouble() < definition.verify_fraction;
}

}  // namespace

bool UnitIsSampled(const JobDefinition& definition, uint64_t secret, int64_t round,
                   int32_t worker) {
  return IsSampled(definition, secret, round, static_cast<uint64_t>(worker));
}

bool EvaluationIsSampled(const JobDefinition& definition, uint64_t secret, int64_t round,
                         int32_t index) {
  return IsSampled(definition, secret, round, kOfEvaluation | static_cast<uint64_t>(index));
}

bool SumIsSampled(const JobDefinition& definition, uint64_t secret, int64_t round,
                  std::string_view executor) {
  return IsSampled(definition, secret, round, kOfSums | Xxh3(executor));
}

}  // namespace dl::master
