#include "job/sources/text.h"

#include "base/json.h"

namespace dl::job {
void TextSource::Check(nn::Mistakes& mistakes) const {
  if (vocabulary_size > 0 && unit != TextUnit::kWord) {
    mistakes.Add("vocabulary_size is of words, and the text is not cut into words",
                 "Set unit to \"word\", or leave vocabulary_size out");
  }
  if (unknown_character == UnknownCharacter::kToken && unit != TextUnit::kCharacter) {
    mistakes.Add("unknown_character is of characters, and the text is not cut into characters",
                 "Leave it out: <unk> stands for unknown words, and all bytes are known");
  }
  if (vocabulary_size == 1) {
    mistakes.Add("a vocabulary of <unk> alone", "Set vocabulary_size to 2 or more, or to 0");
  }
}

}  // namespace dl::job
