#pragma once

#include <cstdint>
#include <string>

#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison {

// Keeps what can be read only once, such as pipes, one after the other: in a file without a name in
// $TMPDIR, or in /tmp where that is empty. There is no file before the first one.
class Spool {
 public:
  // Appends everything that `input` has, which people call `name`. Answers where in the spool it
  // begins. Fails where it cannot be read, or the folder cannot take it.
  [[nodiscard]] Result<std::int64_t> Append(int input, const std::string& name);
  // Another descriptor of the file, which reads from there on; empty where there is none left. All
  // of them share one place to read at.
  [[nodiscard]] FileDescriptor From(std::int64_t begin) const;
  // To read at any place.
  [[nodiscard]] int get() const { return file_.get(); }

 private:
  FileDescriptor file_;
};

}  // namespace jettison
