#include "launch/clusters/slurm_run_folder.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/closed_folder.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/shell_word.h"
#include "launch/submission.h"

namespace dl::launch {

StatusOr<SlurmRun> SlurmRun::Create(const std::string& data_dir) {
  DL_ASSIGN_OR_RETURN(const std::string unique, NewRequestId());
  DL_RETURN_IF_ERROR(CreateSecretFolder(data_dir));
  DL_RETURN_IF_ERROR(CreateClosedFolder(data_dir + "/slurm"));
  SlurmRun run(absl::StrCat(data_dir, "/slurm/", unique.substr(0, 12)));
  DL_RETURN_IF_ERROR(CreateFolders(run.folder()));
  return run;
}

std::optional<std::string> SlurmRun::Job() const {
  auto text = ReadFile(folder_ + "/job", limits::kMaxJobId + 1);
  if (!text.ok()) return std::nullopt;
  absl::StripAsciiWhitespace(&*text);
  return text->empty() ? std::nullopt : std::make_optional(*std::move(text));
}

Status SlurmRun::RecordJob(const std::string& id) const {
  return AtomicWriteFile(folder_ + "/job", id + "\n");
}

Status SlurmRun::WriteScript(const std::string& program,
                             const std::vector<std::string>& words) const {
  std::string script =
      "#!/bin/sh\n# Slurm starts this on the first node, and anew when the job was "
      "requeued.\nexec " +
      ShellWord(program);
  for (const std::string& word : words) absl::StrAppend(&script, " ", ShellWord(word));
  return AtomicWriteFile(this->script(), script + "\n");
}

std::string SlurmRun::BatchMaster(const Target& slurm) const {
  return Target::SlurmBatch(slurm.count(), folder_).ToString();
}

}  // namespace dl::launch
