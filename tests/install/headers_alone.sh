#!/bin/sh
# headers_alone.sh FOLDER: compiles a source for each header below FOLDER that includes it and nothing else. What it prints is wrong with them.
cd "$1" || exit 1
# A cache keeps objects; without one, nobody wants any.
compile="c++ -std=c++20 -Wall -Wextra -Werror -I . -fsyntax-only SOURCE && touch SOURCE.o"
if [ -z "${CCACHE_DISABLE:-}" ] && launcher=$(command -v ccache); then
  compile="$launcher c++ -std=c++20 -Wall -Wextra -Werror -I . -c SOURCE -o SOURCE.o"
fi
find . -name '*.h' -printf '%P\n' | sort | while read -r header; do
  source=$(echo "$header" | tr / -).cc
  # Twice: it may be included again.
  printf '#include "%s"\n#include "%s"\n' "$header" "$header" > "$source"
  echo "$source"
done | xargs -P "$(nproc)" -I SOURCE sh -c "{ $compile; } || echo SOURCE does not compile"
