#include "cli/main.h"

int main(int argc, char** argv) { return dl::cli::Main(argc, argv, "master"); }
