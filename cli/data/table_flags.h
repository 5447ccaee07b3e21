// Flags that correct the guess of how a table is read.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "cli/flags.h"
#include "dataset/readers/table/table_guess.h"

namespace dl::cli {

class TableFlags {
 public:
  // Fewer flags are declared for data of a trained model, because the model stores what its columns
  // are. kEvaluation: data on which a trained model is evaluated, with flags for weights. kModel:
  // other data for a trained model.
  enum class Use { kTraining, kEvaluation, kModel };
  void Declare(Flags& flags, Use use);

  // Returns the values of the flags. Returns UsageError for invalid values, and for flags that
  // exclude each other.
  StatusOr<dataset::TableHints> Hints() const;
  // Returns a flag that is given, not always the first of the command line; empty if none.
  std::string FirstGiven() const;

 private:
  std::string label_, example_weights_, header_, separator_, decimal_, date_order_;
  bool regression_ = false, classes_ = false;
  std::vector<std::string> drop_, keep_, categories_, dates_, date_parts_, missing_;
};

}  // namespace dl::cli
