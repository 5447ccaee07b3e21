#include "job/sources/text.h"

#include "base/json.h"

namespace dl::job {
void TextSource::Check(nn::Mistakes& mistakes) const {
  if (vocabulary_size > 0 && unit != TextUnit::kWord) {
    mistakes.Add("vocabulary_size applies only to words, but unit is not \"word\"",
                 "Set unit to \"word\", or leave out vocabulary_size");
  }
  if (unknown_character == UnknownCharacter::kToken && unit != TextUnit::kCharacter) {
    mistakes.Add("unknown_character applies only to characters, but unit is not \"character\"",
                 "Leave it out: <unk> stands for unknown words, and all bytes are known");
  }
  if (vocabulary_size == 1) {
    mistakes.Add("the vocabulary has only <unk>", "Set vocabulary_size to 2 or more, or to 0");
  }
}

}  // namespace dl::job
