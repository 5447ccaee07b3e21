// What executors say that they tried again.
#pragma once

#include <string>

#include "rpc/messages.h"

namespace dl::master {

// Takes over what an executor says. Whatever that is, a count falls no more and has a bound.
void RaiseTo(rpc::Retries& known, const rpc::Retries& said);
void AddTo(rpc::Retries& sum, const rpc::Retries& more);
// {"sessions","leases","jobs","states","blocks","results"}, as a JSON text.
std::string RetriesText(const rpc::Retries& retries);

}  // namespace dl::master
