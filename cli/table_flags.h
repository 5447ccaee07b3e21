// The flags that say how a bare table is read, where the guess is wrong.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "cli/flags.h"
#include "dataset/readers/table_guess.h"

namespace dl::cli {

class TableFlags {
 public:
  // A model that was trained says itself what its columns are: fewer flags are for its data.
  enum class Use { kTraining, kModel };
  void Declare(Flags& flags, Use use);

  // UsageError: values that are none, or that exclude each other.
  StatusOr<dataset::TableHints> Hints() const;
  // The first of the flags that are given; empty: none.
  std::string FirstGiven() const;

 private:
  std::string label_, example_weights_, header_, separator_, decimal_, date_order_;
  bool regression_ = false, classes_ = false;
  std::vector<std::string> drop_, keep_, categories_, dates_, date_parts_, missing_;
};

}  // namespace dl::cli
