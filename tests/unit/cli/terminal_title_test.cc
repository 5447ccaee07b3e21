// Progress in the title of a terminal.
#include "cli/terminal/terminal_title.h"

#include <sstream>

#include "gtest/gtest.h"

namespace dl::cli {
namespace {

TEST(TerminalTitle, ShowsPercentAndIsRestored) {
  std::ostringstream terminal;
  TerminalTitle title(&terminal);
  title.Restore();
  title.Show("lenet-1", 7);
  title.Show("lenet-1", 7);
  title.Show("lenet-1", 8);
  title.Restore();
  title.Restore();
  EXPECT_EQ(terminal.str(),
            "\x1b[22;0t\x1b]2;7 % lenet-1\x1b\\\x1b]9;4;1;7\x1b\\\x1b]2;8 % lenet-1\x1b\\"
            "\x1b]9;4;1;8\x1b\\\x1b]9;4;0\x1b\\\x1b[23;0t");
}

TEST(TerminalTitle, DependsOnEnvironment) {
  EXPECT_TRUE(HasTerminalTitle({{"TERM", "xterm-256color"}}));
  EXPECT_FALSE(HasTerminalTitle({{"TERM", "dumb"}}));
  EXPECT_FALSE(HasTerminalTitle({{"TERM", "linux"}}));
  EXPECT_FALSE(HasTerminalTitle({}));
  EXPECT_FALSE(HasTerminalTitle({{"TERM", "xterm"}, {"DL_TERMINAL_TITLE", "off"}}));
}

}  // namespace
}  // namespace dl::cli
