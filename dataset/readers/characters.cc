#include "dataset/readers/characters.h"

#include "base/utf8.h"

namespace dl::dataset {

std::u32string Characters(std::string_view text) {
  constexpr char32_t kNoCharacter = 0x110000;
  std::u32string characters;
  while (!text.empty()) {
    const auto lead = static_cast<unsigned char>(text[0]);
    const size_t size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (!IsUtf8(text.substr(0, size))) {
      characters.push_back(kNoCharacter + lead);
      text.remove_prefix(1);
      continue;
    }
    char32_t character = size == 1 ? lead : lead & (0xffU >> (size + 1));
    for (size_t i = 1; i < size; ++i)
      character = character << 6 | (static_cast<unsigned char>(text[i]) & 0x3fU);
    characters.push_back(character);
    text.remove_prefix(size);
  }
  return characters;
}

}  // namespace dl::dataset
