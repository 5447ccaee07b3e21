// Which kinds of documents there are is said beside their readers, each by a constant of this type
// that knows the kind's versions; base/document_version.h brings a document up to the present one.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace dl {

class DocumentUpgrade;

// Makes a document of one version one of the next. It is an object, and may be anything inside:
// what a step does not understand it leaves, and the reader says what is wrong with it.
using UpgradeStep = void (*)(DocumentUpgrade& document);

namespace internal {
void AVersionNeedsTheStepThatLeadsToIt();  // nobody defines it: an error of the compiler names it
}  // namespace internal

// What kind of document, and which versions of it there are. One constant for each kind, beside its
// reader; tests/golden/documents has documents of each version of each.
class DocumentKind {
 public:
  struct Definition {
    std::string_view name;                    // as people know it: "job spec"
    int64_t version = 1;                      // that is written and read
    int64_t oldest = 1;                       // below it a document is refused: there can be none
    std::span<const UpgradeStep> steps = {};  // from `oldest` on, each to the next version
    std::string_view key = "format";          // of the document, for its version
  };
  // Does not compile with a version that no step leads to.
  consteval explicit DocumentKind(const Definition& definition) : definition_(definition) {
    const Definition& d = definition;
    bool whole = d.oldest >= 1 && d.version - d.oldest == static_cast<int64_t>(d.steps.size());
    for (const UpgradeStep step : d.steps) whole = whole && step != nullptr;
    if (!whole) internal::AVersionNeedsTheStepThatLeadsToIt();
  }

  constexpr std::string_view name() const { return definition_.name; }
  constexpr std::string_view key() const { return definition_.key; }
  constexpr int64_t version() const { return definition_.version; }
  constexpr int64_t oldest() const { return definition_.oldest; }
  constexpr std::span<const UpgradeStep> steps() const { return definition_.steps; }

 private:
  Definition definition_;
};

}  // namespace dl
