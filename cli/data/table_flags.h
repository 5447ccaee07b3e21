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
  // are. kEvaluation: data of a trained model whose labels are used.
  enum class Use { kTraining, kEvaluation, kModel };
  void Declare(Flags& flags, Use use);

  // Returns the values of the flags. Returns UsageError for invalid values, and for flags that
  // exclude each other.
  StatusOr<dataset::TableHints> Hints() const;
  // Returns the first flag that is given; empty if none.
  std::string FirstGiven() const;

 private:
  std::string label_, example_weights_, header_, separator_, decimal_, date_order_;
  bool regression_ = false, classes_ = false;
  std::vector<std::string> drop_, keep_, categories_, dates_, date_parts_, missing_;
};

}  // namespace dl::cli
