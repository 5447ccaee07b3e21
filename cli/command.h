// One command of dl-submit: what its line may hold, and what it does.
#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "cli/flags.h"

namespace dl::cli {

// What a command may use of the process around it.
struct Context {
  std::string program_folder;                      // where job programs are looked for
  std::map<std::string, std::string> environment;  // DL_* and HOME
  // For people and JSON: both escape control characters (cli/printable_stream.h).
  std::ostream& out;
  std::ostream& err;  // progress and errors
  // Standard output and standard error as they are; null: as `out` and `err`.
  std::ostream* data = nullptr;  // the bytes of -o -, a generated text
  std::ostream* bar = nullptr;   // a progress bar, which moves the cursor
  bool progress_on_terminal = false;
  bool out_on_terminal = false;
  std::function<int()> columns = [] { return 80; };  // of that terminal, now
};

class Command {
 public:
  virtual ~Command() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;   // one sentence
  virtual std::string_view examples() const = 0;  // lines
  virtual void Declare(Flags& flags) = 0;
  // Whether Run may compute with kernels in this process: threads of OpenMP are set up before it.
  virtual bool Computes() const { return false; }
  // The exit code; an error's is ExitCodeFor's.
  virtual StatusOr<int> Run(Context& context) = 0;
  // After parsing: the job that an error is about, for its line of JSON.
  virtual std::string job() const { return ""; }
};

// All commands, in the order of the help.
std::vector<std::unique_ptr<Command>> AllCommands();

}  // namespace dl::cli
