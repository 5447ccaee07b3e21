// The event file of a job in a folder that TensorBoard reads.
#pragma once

#include <cstdint>
#include <string>

#include "base/files.h"
#include "base/status.h"

namespace dl::cli {

// FOLDER/JOB/events.out.tfevents.NUMBER.JOB. TensorBoard shows each folder with such a file as a
// run. Replace gives an existing file a higher number, because TensorBoard continues to read a file
// that it knows at its old end. Not thread-safe.
class EventFile {
 public:
  // `folder` is FOLDER, without the job. Changes nothing on disk.
  EventFile(const std::string& folder, const std::string& job);

  // Creates the file, or replaces the file that an earlier call or process wrote. TensorBoard sees
  // neither two files of the job nor a part of `content`. The first file of the job has the number
  // `number`. A file that replaces another has the number of that file plus 1. Returns errors of
  // the file system with exit code 74, and errors of `content`.
  Status Replace(int64_t number, ByteContent content);
  // Appends to the file. Returns FailedPrecondition if the file has another size than after the
  // last call, because another process changed it. Also returns errors of the file system. All
  // errors have exit code 74. REQUIRES: exists().
  Status Append(std::string_view bytes);

  bool exists() const { return !path_.empty(); }  // whether a call of Replace has succeeded
  const std::string& path() const { return path_; }

 private:
  std::string PathOf(int64_t number) const;
  // Returns the highest number of a file of the job in the folder; 0 if there is none.
  StatusOr<int64_t> FindNumber() const;
  Status Rename(const std::string& from, const std::string& to) const;

  const std::string folder_;  // of the job
  const std::string job_;
  std::string path_;  // empty before the first Replace
  uintmax_t size_ = 0;
};

}  // namespace dl::cli
