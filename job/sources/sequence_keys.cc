#include "job/sources/sequence_keys.h"

#include "nn/conf/members.h"

namespace dl::job {

void CheckValue(const nn::Field&, const SequenceRows& rows, nn::Mistakes& mistakes) {
  nn::CheckFields(nn::MembersOf(rows), mistakes);
  if (rows.HasWindows() == (rows.steps > 0)) {
    mistakes.Add(
        rows.HasWindows() ? "sequences has both window and steps"
                          : "sequences has neither steps nor window",
        "Set sequences.steps for whole sequences, or sequences.window for windows of rows");
  }
  const SequenceRows standard;
  if (rows.HasWindows()) {
    if (rows.longer == standard.longer && rows.lengths == standard.lengths) return;
    mistakes.Add("sequences.lengths and sequences.longer do not apply to windows",
                 "Leave out both");
  } else if (rows.stride != standard.stride || rows.horizon != standard.horizon ||
             rows.past_labels) {
    mistakes.Add("sequences.stride, horizon and past_labels apply only to windows",
                 "Set sequences.window, or leave them out");
  }
}

}  // namespace dl::job
