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
  // kTraining: a training set, with all flags. kEvaluation: data on which a trained model is
  // evaluated. kModel: data for which it predicts, without a flag for weights. A trained model
  // stores what its columns are, so its data has fewer flags.
  enum class Use { kTraining, kEvaluation, kModel };
  void Declare(Flags& flags, Use use);

  // Returns the values of the flags. Returns UsageError for invalid values, and for flags that
  // exclude each other.
  StatusOr<dataset::TableHints> Hints() const;
  // Returns one of the given flags, not always the first of the command line. Empty: none is given.
  std::string FirstGivenFlag() const;

 private:
  std::string label_, example_weights_, header_, separator_, decimal_, date_order_;
  bool regression_ = false, classes_ = false;
  std::vector<std::string> drop_, keep_, categories_, dates_, date_parts_, missing_;
};

}  // namespace dl::cli
