#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/result.h"
#include "kernel/disk_usage/file_status.h"
#include "ports/file_descriptor.h"

namespace jettison::disk_usage {

// The way from the top of a tree down to the directory being read. However deep, at most
// kOpenDirectories of them are open: the top and the ones nearest to the current. One that was
// closed is opened again as ".." of the one below it when the walk comes back.
class DirectoryStack {
 public:
  static constexpr std::size_t kOpenDirectories = 64;

  // Enters a directory that the caller has opened, and calls `key`.
  void Push(FileDescriptor directory, FileId id, std::uint64_t key = 0);
  // Leaves the current directory. False when the one above could not be opened again, or is another
  // one by now; then the walk is back at the nearest one that is still open, and everything between
  // is left out.
  [[nodiscard]] bool Pop();

  [[nodiscard]] bool empty() const { return frames_.empty(); }
  // The current directory.
  [[nodiscard]] int fd() const { return frames_.back().fd.get(); }
  [[nodiscard]] std::uint64_t device() const { return frames_.back().id.device; }
  [[nodiscard]] std::uint64_t key() const { return frames_.back().key; }
  // Whether all entries of the current directory have been read.
  [[nodiscard]] bool exhausted() const { return frames_.back().exhausted; }
  void SetExhausted() { frames_.back().exhausted = true; }
  // Directories found in the current one that are still to be entered; names, each terminated by a
  // zero.
  void AddPending(std::string_view names) { frames_.back().pending.append(names); }
  // Takes one of them; empty when there is none.
  [[nodiscard]] std::string TakePending();

 private:
  struct Frame {
    FileDescriptor fd;   // empty while closed to save descriptors
    off_t position = 0;  // where to read on, while closed
    FileId id;           // which directory it is
    std::uint64_t key = 0;
    bool exhausted = false;
    std::string pending;  // names, each terminated by a zero
  };
  [[nodiscard]] static bool Reopen(Frame& frame, int below);

  std::vector<Frame> frames_;
};

}  // namespace jettison::disk_usage
