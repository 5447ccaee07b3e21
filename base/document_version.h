// Documents have versions. One that is stored, or written by people, says in which version of its
// kind it is written; one that says nothing is of version 1, for ever. Readers know the present
// version alone: an older document is brought up to it first, a newer one is refused.
// docs/formats.md has the rules, docs/adding.md what a new version takes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/document_kind.h"
#include "base/json.h"
#include "base/status.h"

namespace dl {

// A document on its way up.
class DocumentUpgrade {
 public:
  // A copy of `written`, which has to outlive it.
  explicit DocumentUpgrade(const Json& written) : written_(&written), json_(written) {}

  Json& json() { return json_; }
  // Moves what stands at `from` ("layers[2].size", from the document's root) to `to`, and keeps
  // that for errors about it. Nothing when nothing stands there, or something at `to`: the reader
  // then does not know the key at `from`.
  void Move(std::string_view from, std::string_view to);

  struct Moved {
    std::string written, now;
  };
  const std::vector<Moved>& moved() const { return moved_; }

 private:
  const Json* written_;
  Json json_;
  std::vector<Moved> moved_;
};

// A document in the present version of its kind.
class CurrentDocument {
 public:
  const Json& json() const { return own_ ? *own_ : *written_; }
  // Of its keys; that of the version is known to it.
  JsonObjectReader Reader() const;
  // An error of its reader, whose paths are those of the present version: the remedy says how keys
  // are called in the document, where that is something else.
  Status Explain(const Status& status) const;

  // The same for a document inside this one, behind the key `member`; nothing when there is none.
  // Errors as BringToCurrent.
  Status BringInside(const DocumentKind& kind, std::string_view member);

 private:
  friend StatusOr<CurrentDocument> BringToCurrent(const DocumentKind&, const Json&,
                                                  std::string_view);
  CurrentDocument(const DocumentKind& kind, const Json& written, std::string_view path)
      : written_(&written), key_(kind.key()), path_(path) {}

  const Json* written_;
  std::optional<Json> own_;  // where it is not as it was written
  std::string_view key_;
  std::string path_;
  std::vector<std::string> notes_;  // how keys are called in what was written
};

// `json` in the present version of its kind; what is no object is left to the reader. `json` has to
// outlive the result. `path` is the document's own ("model", "" at the root). InvalidArgument: its
// version is no positive integer, or one that is read no more; VersionMismatch: it is newer. Both
// name the path.
StatusOr<CurrentDocument> BringToCurrent(const DocumentKind& kind, const Json& json,
                                         std::string_view path);

}  // namespace dl
