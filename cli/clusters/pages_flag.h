// The flag --http of `run`: the pages of a local cluster in a browser.
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
  // Returns UsageError if the flag was given and a cluster of this target has no pages.
  Status Check(const launch::Target& target) const;
  // Returns the port of the web server, 0 for any free port, or nullopt for no web server. Without
  // the flag, returns 0 if the command shows the address to the user (`shown`), else nullopt.
  std::optional<int> Port(bool shown) const;
  // Whether the flag was given. Then the address is printed in any case.
  bool is_given() const { return port_ >= 0; }
  // Prints the address of the pages, if there are any.
  static void Report(const launch::Cluster& cluster, Context& context);

 private:
  int64_t port_ = -1;  // -1: the flag was not given
};

}  // namespace dl::cli
