#include "tests/unit/master_core/named_definitions.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"

namespace dl::master {
namespace {

std::map<std::string, JobDefinition>& Definitions() {
  static auto& definitions = *new std::map<std::string, JobDefinition>;
  return definitions;
}

}  // namespace

std::string NameDefinition(JobDefinition definition) {
  const std::string name = absl::StrCat("spec-", Definitions().size());
  Definitions()[name] = std::move(definition);
  return name;
}

StatusOr<JobDefinition> FindDefinition(const std::string& id, const std::string& spec,
                                       const std::string&, const std::string&) {
  JobDefinition definition = Definitions().at(spec);
  definition.id = id;
  return definition;
}

}  // namespace dl::master
