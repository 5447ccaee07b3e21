#include "job/sources/sequence_keys.h"

#include "nn/conf/members.h"

namespace dl::job {

void CheckValue(const nn::Field&, const SequenceRows& rows, nn::Mistakes& mistakes) {
  nn::CheckFields(nn::MembersOf(rows), mistakes);
  if (rows.HasWindows() == (rows.steps > 0)) {
    mistakes.Add(
        rows.HasWindows() ? "sequences have windows, and steps is the length of others"
                          : "sequences have neither steps nor a window",
        "Set sequences.steps for whole sequences, or sequences.window for windows of rows");
  }
  const SequenceRows standard;
  if (rows.HasWindows()) {
    if (rows.longer == standard.longer && rows.lengths == standard.lengths) return;
    mistakes.Add("all windows have one length, and sequences.lengths and longer are of others",
                 "Leave both out");
  } else if (rows.stride != standard.stride || rows.horizon != standard.horizon ||
             rows.past_labels) {
    mistakes.Add("sequences.stride, horizon and past_labels are of windows",
                 "Set sequences.window, or leave them out");
  }
}

}  // namespace dl::job
