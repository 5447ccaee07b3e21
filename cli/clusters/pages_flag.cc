#include "cli/clusters/pages_flag.h"

#include <ostream>

#include "absl/strings/str_cat.h"
#include "cli/exit_code.h"

namespace dl::cli {

void PagesFlag::Declare(Flags& flags) {
  flags.Integer("--http", "PORT", port_,
                "Port of the pages of a local cluster, which show the job in a browser; 0 selects "
                "a free port. Default: 0 on a terminal, otherwise no pages.",
                0, 65535);
}

Status PagesFlag::Check(const launch::Target& target) const {
  if (port_ < 0 || target.has_pages()) return absl::OkStatus();
  return UsageError({.message = absl::StrCat("run shows no pages with ", target.ToString()),
                     .where = "--http",
                     .remedy = "Start the master with dl-submit master --http PORT, or use "
                               "local[N] or local-cluster[N]"});
}

std::optional<int> PagesFlag::Port(bool shown) const {
  if (port_ >= 0) return static_cast<int>(port_);
  return shown ? std::optional<int>(0) : std::nullopt;
}

void PagesFlag::Report(const launch::Cluster& cluster, Context& context) {
  if (const std::string page = cluster.page(); !page.empty())
    context.err << "pages: " << page << std::endl;
}

}  // namespace dl::cli
