#pragma once

#include <cstdint>
#include <ctime>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ports/file_descriptor.h"
#include "units/result.h"

namespace jettison {

// The file's text as it is now.
struct ManifestText {
  std::string text;
};
// It is there but cannot be read.
struct ManifestUnreadable {
  Error error;
};
struct ManifestGone {};

// What became of one file.
struct ManifestChange {
  std::string file;  // its path
  std::variant<ManifestText, ManifestUnreadable, ManifestGone> now;
};

// The largest manifest that is read. (kubelet: maxConfigLength)
inline constexpr std::size_t kMaxManifestBytes = std::size_t{10} << 20;

// A folder of manifests, or a single one, and what is known of its files. Used by one thread;
// nothing blocks but the reading of files.
class ManifestDirectory {
 public:
  // `path` need not exist yet. Fails only where inotify itself is not to be had.
  [[nodiscard]] static Result<ManifestDirectory> Open(std::string path);

  // Readable when TakeChanges has something to look at.
  [[nodiscard]] int fd() const { return inotify_.get(); }
  // What changed according to the kernel, by file name.
  [[nodiscard]] std::vector<ManifestChange> TakeChanges();
  // What differs from what was last told, by file name; every file at the first call. A path that
  // does not exist holds no files.
  [[nodiscard]] std::vector<ManifestChange> Rescan();
  // Whether the path could be listed and is being watched; the error of the last attempt.
  [[nodiscard]] const Result<void>& watched() const { return watched_; }

 private:
  // Tells one content of a file from another without reading it.
  struct Stamp {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t size = 0;
    timespec modified{};
    timespec changed{};
    [[nodiscard]] bool Equals(const Stamp& other) const;
  };
  enum class Patience : bool { kReadNow, kLeaveFreshFiles };

  ManifestDirectory(std::string path, FileDescriptor inotify)
      : path_(std::move(path)), inotify_(std::move(inotify)) {}
  void Watch();
  [[nodiscard]] Result<std::vector<std::string>> Names() const;
  [[nodiscard]] std::vector<ManifestChange> ScanAll(Patience patience);
  [[nodiscard]] std::optional<ManifestChange> Look(const std::string& name, Patience patience);
  [[nodiscard]] std::optional<ManifestChange> Gone(const std::string& name);
  [[nodiscard]] bool Wants(const std::string& name) const;
  [[nodiscard]] std::string PathOf(const std::string& name) const { return folder_ + "/" + name; }

  std::string path_;
  std::string folder_;               // the folder that is watched
  std::optional<std::string> only_;  // the one file of it that counts
  FileDescriptor inotify_;
  int watch_ = -1;
  Result<void> watched_;
  bool scanned_ = false;
  std::map<std::string, Stamp> known_;  // by file name
};

}  // namespace jettison
