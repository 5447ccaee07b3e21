// The services that the web server needs besides those of the master: files of models, predictions,
// and decoded examples. The folder `inference` implements them, because `web` does not use the
// engine.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/files.h"
#include "base/status.h"
#include "rpc/service.h"

namespace dl::web {

// A file that is written piece by piece.
struct ModelFile {
  std::string name;        // "lenet5-1@470.safetensors"
  std::string version;     // equal texts mean equal bytes
  int64_t bytes = 0;       // its length
  int64_t held_bytes = 0;  // most memory that `write` holds, including a call in progress
  // Passes the bytes [first, end) to the sink. Returns errors of the sink and of the master. The
  // checkpoint is kept from deletion until all copies of the function are destroyed.
  std::function<Status(int64_t first, int64_t end, ByteSink sink)> write;
};

struct PredictionRequest {
  std::string job;
  std::string body;  // JSON: docs/rest.md
};

struct EvaluationRequest {
  std::string job;
  std::string round;      // of a checkpoint: a number, "best" or "last"
  int64_t mistakes = 32;  // most examples in the list of mistakes
};

enum class SampleImages : uint8_t { kInline, kLeftOut };

struct SampleRequest {
  std::string job;
  std::string set;    // "train" or "test"
  int64_t first = 0;  // index of the first example, in stored order
  int64_t count = 1;
  SampleImages images = SampleImages::kInline;
};

struct PictureRequest {
  std::string job;
  std::string set;    // "train" or "test"
  int64_t index = 0;  // of the example, in stored order
};

// Thread-safe. The master must outlive the results.
class ModelService {
 public:
  virtual ~ModelService() = default;
  // Opens the model of a checkpoint as a safetensors file, as `dl-submit export` writes it. `round`
  // is a number, "best" or "last". Returns InvalidArgument for another `round`, NotFound for an
  // unknown job or checkpoint, DataLoss for a damaged checkpoint, and errors of the master.
  virtual StatusOr<ModelFile> OpenSafetensors(rpc::ClientService& master, const std::string& job,
                                              const std::string& round) = 0;
  // Predicts rows, and returns {"checkpoint", "kernel_contract", "predictions"}, and
  // "unknown_values" if rows have categories that the training set lacks. Takes long. Returns:
  //
  // - InvalidArgument: a wrong body or row, too many rows, or predictions that are too large.
  // - NotFound: an unknown job or checkpoint.
  // - ResourceExhausted: a model that is too large for this process.
  // - FailedPrecondition: this process cannot compute under the job's kernel contract.
  // - Unimplemented: predictions are turned off, or the rows of the job's table are steps of
  //   sequences.
  // - Unavailable after Stop, DataLoss for a damaged checkpoint, and errors of the master.
  virtual StatusOr<std::string> Predict(rpc::ClientService& master,
                                        const PredictionRequest& request) = 0;
  // Evaluates a checkpoint on its job's test set, or on the first examples of a large one. Returns
  // {"checkpoint","state_sha256","round","set","examples","examined","figures"} and, if examples of
  // the model can be compared, "measure", "wrong", "columns" and "mistakes". Takes long. Errors are
  // those of Predict, without InvalidArgument for rows, and with:
  //
  // - InvalidArgument: another `round`, or data that does not fit the model.
  // - NotFound: an unknown job or checkpoint, or a job without a test set.
  virtual StatusOr<std::string> Evaluate(rpc::ClientService& master,
                                         const EvaluationRequest& request) = 0;
  // Returns {"set", "first", "examples", "columns", "samples"}. "examples" is the number of
  // examples in the set, "columns" has the names of a table's columns. "samples" lists the decoded
  // examples. It has fewer than request.count if the set ends before. Returns:
  //
  // - NotFound: an unknown job or a missing test set.
  // - InvalidArgument: another set than "train" or "test", or no example with index request.first.
  // - errors of the master.
  virtual StatusOr<std::string> Samples(rpc::ClientService& master,
                                        const SampleRequest& request) = 0;
  // Returns an example as the bytes of a PNG file. Returns the errors of Samples, and NotFound if
  // the examples of the set are no images.
  virtual StatusOr<std::string> Picture(rpc::ClientService& master,
                                        const PictureRequest& request) = 0;
  // Makes current and later calls of Predict and Evaluate return Unavailable soon. Idempotent.
  virtual void Stop() = 0;
};

}  // namespace dl::web
