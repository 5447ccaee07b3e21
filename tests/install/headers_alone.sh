#!/bin/sh
# headers_alone.sh FOLDER: compiles a source for each header below FOLDER that includes it and nothing else. What it prints is wrong with them.
cd "$1" || exit 1
launcher=$(command -v ccache)
find . -name '*.h' -printf '%P\n' | sort | while read -r header; do
  source=$(echo "$header" | tr / -).cc
  # Twice: it may be included again.
  printf '#include "%s"\n#include "%s"\n' "$header" "$header" > "$source"
  echo "$source"
done | xargs -P "$(nproc)" -I SOURCE sh -c "$launcher c++ -std=c++20 -Wall -Wextra -Werror -I . -c SOURCE -o SOURCE.o || echo SOURCE does not compile"
