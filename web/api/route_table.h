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
    // If `route` is null: all routes with this path, which have other methods.
    std::vector<const Route*> others;
  };
  // Returns the route of the request. `route` is null if no route has this path and method. If the
  // patterns of several routes match, returns a route whose pattern has the fewest variables.
  Match Find(const HttpRequest& request) const;

  const std::vector<Route>& routes() const { return routes_; }

 private:
  struct Entry {
    std::vector<std::string> segments;  // of the pattern
    const Route* route = nullptr;
  };

  const std::vector<Route> routes_;
  std::vector<Entry> entries_;  // entries with fewer variables first
};

// Checks each parameter of the request. Returns InvalidArgument in these cases:
//   - The route does not have the parameter.
//   - The parameter occurs twice, and Parameter::repeated is false.
//   - The type is kInteger, and the value is not a whole number from Parameter::min to max.
//   - Parameter::words is not empty, and the value is neither empty nor one of these words.
Status CheckParameters(const Route& route, const HttpRequest& request);

// Checks the body of a request whose route has no body. Some clients send {} instead of nothing.
// Returns InvalidArgument unless the body is empty, blank or an empty JSON object.
Status CheckNoBody(const Route& route, const HttpRequest& request);

}  // namespace dl::web
