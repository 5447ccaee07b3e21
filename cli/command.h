// The interface of the commands of dl-submit.
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

// The environment in which a command runs.
struct Context {
  std::string program_folder;                      // folder in which job programs are searched
  std::map<std::string, std::string> environment;  // DL_* and HOME
  // For text and JSON. Both streams escape control characters (cli/output/printable_stream.h).
  std::ostream& out;
  std::ostream& err;  // progress and errors
  // Standard output and standard error without escaping; null: use `out` and `err`.
  std::ostream* data = nullptr;  // for the bytes of -o -, and for generated text
  std::ostream* bar = nullptr;   // for a progress bar, which moves the cursor
  bool progress_on_terminal = false;
  bool out_on_terminal = false;
  std::function<int()> columns = [] { return 80; };  // current width of that terminal
};

class Command {
 public:
  virtual ~Command() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;   // one sentence
  virtual std::string_view examples() const = 0;  // lines
  virtual void Declare(Flags& flags) = 0;
  // Whether Run may compute with kernels in this process. OpenMP threads are then set up before it
  // is called.
  virtual bool Computes() const { return false; }
  // Runs the command and returns its exit code. The exit code of an error is given by ExitCodeFor.
  virtual StatusOr<int> Run(Context& context) = 0;
  // Returns the job to which an error refers, for the JSON line of the error. Must be called after
  // parsing.
  virtual std::string job() const { return ""; }
};

// Returns all commands in the order of the help.
std::vector<std::unique_ptr<Command>> AllCommands();

}  // namespace dl::cli
