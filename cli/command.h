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
  std::map<std::string, std::string> environment;  // DL_*, HOME, TERM, NO_COLOR
  // For text and JSON. Both streams escape control characters (cli/output/printable_stream.h).
  std::ostream& out;
  std::ostream& err;  // progress and errors
  // Standard output for the bytes of -o - and for generated text. Escapes control characters only
  // on a terminal. Null: use `out`.
  std::ostream* data = nullptr;
  // Standard output for control sequences of a terminal. Escapes nothing. Null: use `out`.
  std::ostream* screen = nullptr;
  // Standard error for a progress bar, which moves the cursor. Escapes nothing. Null: use `err`.
  std::ostream* bar = nullptr;
  bool progress_on_terminal = false;  // standard error is a terminal
  bool out_on_terminal = false;       // standard output is a terminal
  // Returns the current width of the terminal of standard error; 80 if there is no terminal.
  std::function<int()> columns = [] { return 80; };
};

class Command {
 public:
  virtual ~Command() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;   // one sentence
  virtual std::string_view examples() const = 0;  // lines
  // The lines that the command prints with --json, as a type of web/schemas/document_shape.h. The
  // line of an error (Failure) is not named. Empty: the command prints no JSON.
  virtual std::string_view json_lines() const = 0;
  // Declares the arguments and flags of the command. Their values are stored in this object, which
  // must outlive `flags`.
  virtual void Declare(Flags& flags) = 0;
  // Whether Run may compute with kernels in this process. If true and OMP_WAIT_POLICY is not set,
  // Main restarts the process with OMP_WAIT_POLICY=passive before it calls Run.
  virtual bool Computes() const { return false; }
  // Whether the command prints JSON also without --json. An error is then also printed as JSON on
  // standard output, besides its text on standard error. --json only makes the JSON one line on a
  // terminal.
  virtual bool PrintsJson() const { return false; }
  // Runs the command and returns its exit code. For an error, the caller uses ExitCodeFor. Must be
  // called after parsing.
  virtual StatusOr<int> Run(Context& context) = 0;
  // Returns the id of the job to which an error refers, for the JSON line of the error. Returns ""
  // if the error refers to no job. Must be called after parsing.
  virtual std::string job() const { return ""; }
};

// Returns all commands in the order of the help.
std::vector<std::unique_ptr<Command>> AllCommands();

}  // namespace dl::cli
