// Figures of models with several yes-or-no answers, or several numbers, as pages show them.
#pragma once

#include <string>
#include <vector>

#include "base/json_fwd.h"

namespace dl::web {

// Returns the names of the targets of an example in their order, from the manifest of its set. A
// target without a name has "". Empty if no target has a name.
std::vector<std::string> TargetNames(const Json& manifest);

// Returns [{"name","value"}]: the figures over all answers together, and their means over the
// answers, from the report of an evaluation. The values are shares. Empty if the model does not
// have several answers.
Json AveragesOf(const Json& figures);

// Replaces "probabilities" of each mistake by "answers_text", such as "is_red 97.1 %, is_big 3.0
// %". An answer without a name in `names` is "output N".
void NameAnswers(const std::vector<std::string>& names, Json& mistakes);

}  // namespace dl::web
