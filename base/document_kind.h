// The description of a kind of document (job spec, manifest, ...) and its versions.
// base/document_version.h upgrades a document to the current version.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace dl {

class DocumentUpgrade;

// Upgrades a document from one version to the next. The document is an object with arbitrary
// content. A step leaves unchanged what it does not understand; the reader then reports the error.
using UpgradeStep = void (*)(DocumentUpgrade& document);

namespace internal {
void MissingUpgradeStep();  // not defined, so that a compiler error names it
}  // namespace internal

// A kind of document. Each kind has one constant of this type next to its reader.
// tests/golden/documents has documents of each version of each kind.
class DocumentKind {
 public:
  struct Definition {
    std::string_view name;                    // as shown to users: "job spec"
    int64_t version = 1;                      // the version that is written and read
    int64_t oldest = 1;                       // older documents are refused
    std::span<const UpgradeStep> steps = {};  // from `oldest` on, each to the next version
    std::string_view key = "format";          // the key that holds the version
  };
  // Does not compile if a version after `oldest` has no step that leads to it.
  consteval explicit DocumentKind(const Definition& definition) : definition_(definition) {
    const Definition& d = definition;
    bool whole = d.oldest >= 1 && d.version - d.oldest == static_cast<int64_t>(d.steps.size());
    for (const UpgradeStep step : d.steps) whole = whole && step != nullptr;
    if (!whole) internal::MissingUpgradeStep();
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
