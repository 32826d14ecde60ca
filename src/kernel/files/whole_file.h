#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison {

// Where symbolic links at the end of a path lead; there may be nothing there yet.
[[nodiscard]] std::string WithoutLinks(const std::string& path);

// A file that appears when it is complete, and not before: it is written beside its final path, as
// PATH.jettison-XXXXXX. A process that is killed leaves that draft. A symbolic link stays, and
// where it leads the file appears.
//
// A file that is replaced gives the new one its mode, its owner and its group. Where these cannot
// be kept, or it has an access control list, the new file is its owner's alone. A new file has the
// mode that the umask leaves.
//
// What is there and is no file (a device, a pipe) is not replaced, but written to at once, and so
// is a stream of this process (/dev/stdout, /dev/fd/3). A folder is a fault.
class WholeFile {
 public:
  explicit WholeFile(const std::string& path);
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;
  ~WholeFile();

  // Returns false when the file cannot be written; `fault` says why.
  [[nodiscard]] bool Add(std::string_view bytes);
  // Syncs the file to disk and moves it to its final path, in place of the file that was there.
  [[nodiscard]] Result<void> PutInPlace();
  [[nodiscard]] const std::optional<Error>& fault() const { return fault_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  std::string path_;     // without symbolic links at its end
  std::string draft_;    // empty: it is written to directly
  FileDescriptor file_;  // none: it is in place
  std::optional<Error> fault_;
  std::uint64_t size_ = 0;
};

// Writes a whole file with this text. Where that fails, a file that was there is unchanged.
[[nodiscard]] Result<void> WriteWholeFile(const std::string& path, std::string_view text);

}  // namespace jettison
