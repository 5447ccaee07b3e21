#include "web/documents/reason_text.h"

#include <utility>

namespace dl::web {
namespace {

constexpr std::pair<std::string_view, std::string_view> kTexts[] = {
    {"waiting_for_executors", "No executor can compute it yet"},
    {"waiting_for_larger_executors", "Needs executors with more memory"},
    {"waiting_for_jobs", "Other jobs run first"},
    {"waiting_for_memory", "Other jobs use the memory of the master"},
    {"waiting_for_dependency", "Waits for another job"},
    {"loading_state", "Loads its state"},
    {"replaying", "Computes rounds again"},
    {"user_request", "Requested by a user"},
    {"unit_failed", "A unit failed on several executors"},
    {"not_finite", "Values became infinite or not a number"},
    {"disagreement", "Two results of a unit differ"},
    {"replay_mismatch", "A recomputed round differs from its commit"},
    {"example_sum", "An epoch did not train each example exactly once"},
    {"storage", "A record cannot be read or written"},
    {"too_large", "Needs more memory than the master may use"},
    {"all_epochs_done", "All epochs done"},
    {"early_stopping", "Stopped early, no further gain"},
    {"process_killed", "Its processes were killed repeatedly"},
    {"no_process", "No process computes it"},  // a state INTERRUPTED of the command line
};

}  // namespace

std::string ReasonText(std::string_view reason) {
  for (const auto& [word, text] : kTexts) {
    if (word == reason) return std::string(text);
  }
  return std::string(reason);
}

}  // namespace dl::web
