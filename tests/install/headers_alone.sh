#!/bin/sh
# headers_alone.sh FOLDER: compiles each header below FOLDER alone. Prints the errors of the
# headers.
cd "$1" || exit 1
options="-std=c++20 -Wall -Wextra -Werror -I ."
compile="clang++ $options"  # reads only the needed parts of a precompiled header, in half the
                            # time
mkdir precompiled || exit 1
includes=$(grep -r --include='*.h' '^#include "' . | sed 's|^\./||; s|:#include "| |; s|"$||')

# Prints the headers that include $1, directly or indirectly.
users_of() {
  echo "$includes" | awk -v wanted="$1" '
    { users[$2] = users[$2] " " $1 }
    END {
      queue[last = 1] = wanted
      for (first = 1; first <= last; ++first) {
        count = split(users[queue[first]], direct, " ")
        for (i = 1; i <= count; ++i)
          if (!(direct[i] in seen)) { seen[direct[i]]; print queue[++last] = direct[i] }
      }
    }'
}

# A header that includes one of these stems may be compiled with the precompiled stem. The result
# is the same. The largest stem comes first.
for stem in nn/conf/layers/layer_base.h nn/conf/field.h base/status.h; do
  name=precompiled/$(echo "$stem" | tr / -).pch
  $compile -x c++-header "$stem" -o "$name" || echo "$stem does not compile"
  users_of "$stem" | sed "s|\$| $name|"
done > precompiled/stems

find . -path ./precompiled -prune -o -name '*.h' -printf '%P\n' | sort > headers
while read -r header; do
  source=$(echo "$header" | tr / -).cc
  # Includes the header twice to check its include guard.
  printf '#include "%s"\n#include "%s"\n' "$header" "$header" > "$source"
  stem=$(awk -v header="$header" '$1 == header { print "-include-pch", $2; exit }' precompiled/stems)
  echo "$compile $stem -fsyntax-only $source && touch $source.o || echo $header does not compile"
done < headers | xargs -P "$(nproc)" -I COMMAND sh -c COMMAND

# Compiles all headers together with the other compiler.
sed 's|.*|#include "&"|' headers > all.cc
g++ $options -fsyntax-only all.cc || echo "g++ does not compile all of them"
