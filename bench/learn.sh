#!/bin/sh
# Trains models of the zoo to a known result on real data, and prints the table of docs/learning.md:
#   bench/learn.sh DATA [--precision PRECISION] [RECIPE...]
# DATA is a folder with adult, cifar10, tinyshakespeare, wikitext-2. The recipes are below. PRECISION is float32 or bf16.
# Fashion-MNIST is read from /usr/share/datasets (Debian package dataset-fashion-mnist).
# Each recipe is a fixed schedule. The result is that of the final model on the whole held-out set.
set -eu

data=$(cd "${1:?a folder with data sets}" && pwd)
shift
precision=float32
if [ "${1:-}" = --precision ]; then precision=${2:?float32 or bf16}; shift 2; fi
fashion=/usr/share/datasets/fashion-mnist
submit=$(dirname "$0")/../build/release/bin/dl-submit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

idx() {  # NAME PREFIX-OF-THE-FILES
  printf '{"format": "idx", "features": "%s/%s-images-idx3-ubyte.gz", "labels": "%s/%s-labels-idx1-ubyte.gz"}' \
    "$fashion" "$2" "$fashion" "$2" > "$work/$1.json"
}

adult() {  # NAME FILE MORE-KEYS
  printf '{"format": "csv", "path": "%s/adult/%s", "categorical_columns": "auto", "missing_category": "own_class"%s}' \
    "$data" "$2" "$3" > "$work/$1.json"
}

cifar() {  # NAME FILES
  printf '{"format": "cifar10", "paths": ["%s/cifar10/%s"]}' "$data" "$2" > "$work/$1.json"
}

# Trains on the first 90 % of Tiny Shakespeare.
shakespeare() {
  head -c 1003854 "$data/tinyshakespeare/input.txt" > "$work/train.txt"
  tail -c +1003855 "$data/tinyshakespeare/input.txt" > "$work/test.txt"
}

# Prints one line of a table: recipe, seed, loss and accuracy on the test set, its loss after each epoch, time, hash.
train() {  # RECIPE SEED WORDS-OF-RUN...
  recipe=$1 seed=$2
  shift 2
  "$submit" run "$@" --precision "$precision" --seed "$seed" --data-dir "$work/$recipe-$seed" --set training.checkpoint.keep_last=1 2> "$work/errors" |
    awk -v recipe="$recipe" -v seed="$seed" -v errors="$work/errors" '
      /^state  / { state = $2 } /^test loss/ { loss = $3 } /^test accuracy/ { accuracy = $3 } /^time/ { time = $2 } /^state_sha256/ { hash = substr($2, 1, 16) }
      END {
        if (state != "SUCCEEDED") { print recipe, "with seed", seed, "ended as", state > "/dev/stderr"; exit 1 }
        sub(",", "", time)
        while ((getline line < errors) > 0)
          if (match(line, /test loss [0-9.]+/)) curve = curve sprintf(" %.3f", substr(line, RSTART + 10, RLENGTH - 10))
        printf "| %s | %s | %s | %s |%s | %s | `%s` |\n", recipe, seed, loss, accuracy, curve, time, hash
      }'
  rm -rf "${work:?}/$recipe-$seed"
}

# Runs train with three seeds.
seeds() {
  for seed in 1 2 3; do train "$1" "$seed" "$@"; done
}

run_recipe() {
  case "$1" in
    lenet_a)
      idx train train; idx test t10k
      seeds lenet_a --train "$work/train.json" --test "$work/test.json" --set training.epochs=5 --set training.batch_size=64 ;;
    mlp)  # on Adult
      adult train adult_train.csv.zst ""; adult test adult_test.csv.zst ', "label_suffix": "."'
      seeds mlp --train "$work/train.json" --test "$work/test.json" --set training.epochs=5 --set training.batch_size=128 \
        --set model.updater.learning_rate.initial=0.01 ;;
    char_lstm)
      shakespeare
      seeds char_lstm --train "$work/train.txt" --test "$work/test.txt" --set training.epochs=10 --set training.batch_size=32 ;;
    gpt)
      shakespeare
      # 491 steps per epoch.
      seeds gpt --train "$work/train.txt" --test "$work/test.txt" --set training.epochs=4 --set training.batch_size=16 ;;
    word_lstm)
      train word_lstm 1 word_lstm --train "$data/wikitext-2/train.txt.zst" --test "$data/wikitext-2/valid.txt.zst" \
        --set training.epochs=3 --set training.batch_size=20 ;;
    resnet18)
      cifar train 'data_batch_*.bin.zst'; cifar test test_batch.bin.zst
      train resnet18 1 resnet18 --train "$work/train.json" --test "$work/test.json" --set training.epochs=12 --set training.batch_size=128 \
        --set 'data.augmentation=[{"type": "horizontal_flip"}, {"type": "random_crop", "padding": 4}]' ;;
    *) echo "there is no recipe $1: lenet_a mlp char_lstm gpt word_lstm resnet18" >&2; exit 64 ;;
  esac
}

[ $# -gt 0 ] || set -- lenet_a mlp char_lstm gpt word_lstm resnet18
echo "| recipe | seed | test loss | test accuracy, % | test loss after each epoch | time | state |"
echo "|---|---|---|---|---|---|---|"
for recipe in "$@"; do run_recipe "$recipe"; done
