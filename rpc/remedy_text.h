// Remedies as sentences with the commands of dl-submit.
#pragma once

#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/status.h"
#include "rpc/remedy.h"

namespace dl::rpc {

// Returns one or two imperative sentences without a period at the end; empty for kNone. `flags`
// follows each command that needs a master, with a blank before it: " --master dl://node3:7077".
std::string RemedyText(const Remedy& remedy, std::string_view flags = "");

// Returns the same error with the text of its remedy, if it has a remedy as data and no text.
Status WithRemedyText(const Status& status, std::string_view flags = "");
// Adds the member "remedy", a text, to an object of the master's JSON, and to its "error", if they
// have a remedy as data ("action").
void AddRemedyTexts(Json& object, std::string_view flags = "");

}  // namespace dl::rpc
