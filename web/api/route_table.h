// Finds the route of a request, and checks the request's parameters.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "web/api/route.h"

namespace dl::web {

// Immutable, so thread-safe.
class RouteTable {
 public:
  // REQUIRES: no two routes have the same method and pattern.
  explicit RouteTable(std::vector<Route> routes);

  struct Match {
    const Route* route = nullptr;
    std::map<std::string, std::string, std::less<>> variables;
    // If `route` is null: the methods of the routes with this path; empty if there are none.
    std::vector<std::string> other_methods;
  };
  // Returns the route of the request. `route` is null if there is none. A segment of a pattern
  // without variable is preferred to a variable.
  Match Find(const HttpRequest& request) const;

  const std::vector<Route>& routes() const { return routes_; }

 private:
  struct Entry {
    std::vector<std::string> segments;  // of the pattern
    const Route* route = nullptr;
  };

  const std::vector<Route> routes_;
  std::vector<Entry> entries_;  // those with fewer variables first
};

// Returns InvalidArgument for a parameter that the route does not have, one that stands twice
// although it may not (Parameter::repeated), and one that is not a number in its range.
Status CheckParameters(const Route& route, const HttpRequest& request);

}  // namespace dl::web
