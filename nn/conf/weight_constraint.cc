#include "nn/conf/weight_constraint.h"

#include "nn/conf/kinds.h"
#include "nn/conf/typed_object.h"

namespace dl::nn {
namespace {

std::string_view ConstraintTag(WeightConstraintKind kind) {
  switch (kind) {
    case WeightConstraintKind::kNone:
      return "none";
    case WeightConstraintKind::kMaxNorm:
      return "max_norm";
    case WeightConstraintKind::kUnitNorm:
      return "unit_norm";
  }
  return kNoTag;
}

}  // namespace

template <typename Self, typename Visit>
void WeightConstraintConf::Fields(Self& self, Visit&& visit) {
  if (self.kind != WeightConstraintKind::kMaxNorm) return;
  visit(Field{.key = "max",
              .what = "the largest norm of the weight constraint",
              .min = 1e-30,
              .max = 1e30,
              .presence = Field::Presence::kRequired,
              .meaning = "Largest L2 norm of the weights of an output"},
        self.max);
}

WeightConstraintConf NoConstraint() { return {WeightConstraintKind::kNone}; }
WeightConstraintConf MaxNorm(double max) { return {WeightConstraintKind::kMaxNorm, max}; }
WeightConstraintConf UnitNorm() { return {WeightConstraintKind::kUnitNorm}; }

std::string_view TagOf(const WeightConstraintConf& constraint) {
  return ConstraintTag(constraint.kind);
}

std::vector<WeightConstraintConf> DefaultsOf(const WeightConstraintConf*) {
  std::vector<WeightConstraintConf> defaults;
  for (const WeightConstraintKind kind : AllKinds(ConstraintTag)) defaults.push_back({kind});
  return defaults;
}

Json ToJson(const WeightConstraintConf& constraint) { return TypedToJson(constraint); }

void ReadValue(JsonObjectReader& reader, std::string_view key, WeightConstraintConf& out) {
  ReadTyped(reader, key, out);
}

void CheckValue(const Field&, const WeightConstraintConf& constraint, Mistakes& mistakes) {
  CheckFields(MembersOf(constraint), mistakes);
}

void DescribeValue(const Field& field, const WeightConstraintConf& constraint,
                   std::vector<KeyRow>& rows) {
  DescribeTyped(field, constraint, "Constraint on the L2 norm of the weights of each output", rows);
}

}  // namespace dl::nn
