#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "core/recording/recording.h"

namespace jettison {

// A recording in a file, or on standard input ("-").
class RecordingFile {
 public:
  [[nodiscard]] static Result<RecordingFile> Open(const std::string& path);

  [[nodiscard]] RecordingSource& source() { return *source_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  // How much of it has been read, from 0 to 1; 0 where its length is not known.
  [[nodiscard]] double Progress() const;

 private:
  struct Close {
    void operator()(std::FILE* file) const {
      if (file != stdin) std::fclose(file);
    }
  };

  std::string name_;
  std::unique_ptr<std::FILE, Close> file_;
  std::unique_ptr<RecordingSource> source_;
  long size_ = 0;
};

}  // namespace jettison
