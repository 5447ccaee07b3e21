#include "cli/commands/commands.h"

namespace dl::cli {

std::vector<std::unique_ptr<Command>> AllCommands() {
  std::vector<std::unique_ptr<Command>> all;
  for (auto make :
       {MakeRun,     MakeSubmit,      MakeSweep,  MakeMaster,      MakeExecutor, MakeStatus,
        MakeTop,     MakeList,        MakeLogs,   MakeHistory,     MakeExplain,  MakeCompare,
        MakeTrace,   MakeTensorBoard, MakeUi,     MakeAttach,      MakeWait,     MakeCancel,
        MakePause,   MakeResume,      MakeDelete, MakeCheckpoints, MakeInspect,  MakeEvaluate,
        MakePredict, MakeGenerate,    MakeExport, MakeImport,      MakeBench,    MakeCluster,
        MakeDaemons, MakeDoctor,      MakeConfig, MakeCompletion,  MakeMan,      MakeSchema,
        MakeVersion}) {
    all.push_back(make());
  }
  return all;
}

}  // namespace dl::cli
