// The report about a job that a command has submitted and does not follow.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "job/training_config.h"
#include "rpc/messages.h"

namespace dl::cli {

// Prints a line of JSON: the SubmissionDocument with "type". It has the id of the job, and how many
// executors can compute it.
void PrintSubmission(const rpc::SubmitReply& submitted, std::ostream& out);

// Returns a sentence for each reason why executors get no units of the job with these settings.
std::vector<std::string> ExecutorWarnings(const rpc::SubmitReply& submitted,
                                          const job::TrainingConfig& training);
// Prints the sentences of ExecutorWarnings to `err`, because later warnings of the job are not
// shown.
void WarnAboutExecutors(const rpc::SubmitReply& submitted, const job::TrainingConfig& training,
                        std::ostream& err);

}  // namespace dl::cli
