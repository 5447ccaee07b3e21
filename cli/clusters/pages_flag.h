// The flag --http of `run`: the pages of a local cluster in a browser. `master` and `ui` have flags
// of their own.
#pragma once

#include <cstdint>
#include <optional>

#include "base/status.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "launch/clusters/cluster.h"
#include "launch/clusters/target.h"

namespace dl::cli {

class PagesFlag {
 public:
  // Declares --http. This object must outlive `flags`.
  void Declare(Flags& flags);
  // Returns UsageError if the flag was given and the target has no pages (Target::has_pages): only
  // local[N] and local-cluster[N] have them.
  Status Check(const launch::Target& target) const;
  // Returns the port of the web server, 0 for any free port, or nullopt for no web server. `shown`:
  // the command shows its progress on a terminal, without --quiet and --json. Without the flag,
  // returns 0 if `shown`, else nullopt.
  std::optional<int> Port(bool shown) const;
  // Whether the flag was given. Then the address is printed also with --quiet and --json.
  bool is_given() const { return port_ >= 0; }
  // Prints the address of the pages to `context.err` if the cluster has pages.
  static void Report(const launch::Cluster& cluster, Context& context);

 private:
  int64_t port_ = -1;  // -1: the flag was not given
};

}  // namespace dl::cli
