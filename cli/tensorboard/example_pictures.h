// Pictures of examples of a job's training set, for event files.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "cli/tensorboard/event_messages.h"
#include "rpc/service.h"

namespace dl::cli {

// Returns the first 16 images of the training set, with their labels in the description. Returns
// nullopt if the examples are no images, or if the data cannot be read, for example because it was
// deleted. Returns Unavailable and DeadlineExceeded of the master.
StatusOr<std::optional<Pictures>> ReadPictures(rpc::ClientService& client, const std::string& job);

}  // namespace dl::cli
