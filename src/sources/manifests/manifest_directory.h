#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison {

// The file's text as it is now.
struct ManifestText {
  std::string text;
};
// It is there but cannot be read. kInvalidArgument: nor will it ever be, as it is now; anything
// else is tried again by each Look, and told each time.
struct ManifestUnreadable {
  Error error;
};
// It is being written, and is read when its writer is done.
struct ManifestUnsettled {};
struct ManifestGone {
  // It did not go alone: the folder is missing, empty or another one than before, or the file is a
  // link that leads nowhere. All of these happen for a moment while somebody renames, mounts or
  // copies.
  bool with_folder = false;
};

// What became of one file.
struct ManifestChange {
  std::string file;  // its path
  std::variant<ManifestText, ManifestUnreadable, ManifestUnsettled, ManifestGone> now;
};

// The largest manifest that is read: an API server takes no larger request, either. (The kubelet
// reads 10 MiB; but what a manifest says stays in locked memory, several times.)
inline constexpr std::size_t kMaxManifestBytes = std::size_t{3} << 20;
// The most that all manifests together may have, a thousand pods of 16 KiB.
inline constexpr std::size_t kMaxFolderBytes = std::size_t{16} << 20;

// A folder of manifests, or a single one, and what is known of its files. Used by one thread;
// nothing blocks but the reading of files.
class ManifestDirectory {
 public:
  // `path` need not exist yet. What cannot be watched now is tried again by each Look.
  explicit ManifestDirectory(std::string path);

  // Readable when the kernel has told of a change; -1 as long as there is no inotify.
  [[nodiscard]] int fd() const { return inotify_.get(); }
  // What differs from what was last told, by file name; every file at the first call. A path that
  // does not exist holds no files.
  [[nodiscard]] std::vector<ManifestChange> Look();
  // Whether the last Look left a file that is being written. The kernel tells of the writer's end
  // before the writer is gone, so it may tell of the file no more.
  [[nodiscard]] bool AnyUnsettled() const { return any_unsettled_; }
  // Counts these files as told before, so that Look tells those that are gone. Before the first
  // Look.
  void Expect(const std::vector<std::string>& files);
  // Whether the path could be listed and is being watched; the error of the last attempt.
  [[nodiscard]] const Result<void>& watched() const { return watched_; }
  // Whether the last Look saw which files there are, none included.
  [[nodiscard]] bool listed() const { return listed_; }

 private:
  // Tells one content of a file from another without reading it.
  struct Stamp {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t size = 0;
    std::int64_t modified_ns = 0;
    std::int64_t changed_ns = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  struct Known {
    Stamp stamp;
    std::size_t text_bytes = 0;  // of what was read; 0: nothing
  };
  // Device and inode, which tell one folder from another of the same path.
  using FolderId = std::pair<std::uint64_t, std::uint64_t>;
  struct Listing {
    FolderId folder;
    std::set<std::string> files;
  };

  void Watch();
  [[nodiscard]] Result<Listing> List() const;
  [[nodiscard]] std::optional<ManifestChange> LookAt(const std::string& file);
  [[nodiscard]] Result<std::string> ReadWithin(const std::string& file, const FileDescriptor& fd,
                                               std::int64_t size) const;
  [[nodiscard]] static Stamp StampOf(const struct stat& status);
  [[nodiscard]] ManifestChange Unreadable(const std::string& file, Error error);
  [[nodiscard]] std::optional<ManifestChange> Gone(const std::string& file);
  [[nodiscard]] bool Wants(const std::string& name) const;
  [[nodiscard]] bool IsHere(const std::string& file) const;
  [[nodiscard]] std::string PathOf(const std::string& name) const { return folder_ + "/" + name; }

  std::string path_;
  std::string folder_;               // the folder that is watched
  std::optional<std::string> only_;  // the one file of it that counts
  FileDescriptor inotify_;
  int watch_ = -1;
  Result<void> watched_;
  bool listed_ = false;
  bool any_unsettled_ = false;
  std::optional<FolderId> folder_id_;   // as it was listed last
  std::map<std::string, Known> known_;  // by path
};

}  // namespace jettison
