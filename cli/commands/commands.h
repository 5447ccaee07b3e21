// Factories of the commands, each defined in a source of this folder. Related commands share a
// source, for example acting.cc. cli/commands/all.cc calls all factories, in the order of the help.
#pragma once

#include <memory>

#include "cli/command.h"

namespace dl::cli {

std::unique_ptr<Command> MakeRun();
std::unique_ptr<Command> MakeSubmit();
std::unique_ptr<Command> MakeSweep();
std::unique_ptr<Command> MakeMaster();
std::unique_ptr<Command> MakeExecutor();
std::unique_ptr<Command> MakeStatus();
std::unique_ptr<Command> MakeTop();
std::unique_ptr<Command> MakeList();
std::unique_ptr<Command> MakeLogs();
std::unique_ptr<Command> MakeHistory();
std::unique_ptr<Command> MakeExplain();
std::unique_ptr<Command> MakeCompare();
std::unique_ptr<Command> MakeTrace();
std::unique_ptr<Command> MakeTensorBoard();
std::unique_ptr<Command> MakeUi();
std::unique_ptr<Command> MakeAttach();
std::unique_ptr<Command> MakeWait();
std::unique_ptr<Command> MakeCancel();
std::unique_ptr<Command> MakePause();
std::unique_ptr<Command> MakeResume();
std::unique_ptr<Command> MakeDelete();
std::unique_ptr<Command> MakeCheckpoints();
std::unique_ptr<Command> MakeInspect();
std::unique_ptr<Command> MakeEvaluate();
std::unique_ptr<Command> MakePredict();
std::unique_ptr<Command> MakeGenerate();
std::unique_ptr<Command> MakeExport();
std::unique_ptr<Command> MakeImport();
std::unique_ptr<Command> MakeBench();
std::unique_ptr<Command> MakeCluster();
std::unique_ptr<Command> MakeDaemons();
std::unique_ptr<Command> MakeDoctor();
std::unique_ptr<Command> MakeConfig();
std::unique_ptr<Command> MakeCompletion();
std::unique_ptr<Command> MakeMan();
std::unique_ptr<Command> MakeSchema();
std::unique_ptr<Command> MakeVersion();

}  // namespace dl::cli
