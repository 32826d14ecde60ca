#include "kernel/mounts/volumes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/stat.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison::kernel {
namespace {

struct PathType {
  std::string_view name;
  mode_t kind;  // the S_IF... bits
  bool create;
  std::string_view article;
};
constexpr std::array<PathType, 7> kTypes = {{
    {"Directory", S_IFDIR, false, "a directory"},
    {"DirectoryOrCreate", S_IFDIR, true, "a directory"},
    {"File", S_IFREG, false, "a file"},
    {"FileOrCreate", S_IFREG, true, "a file"},
    {"Socket", S_IFSOCK, false, "a socket"},
    {"CharDevice", S_IFCHR, false, "a character device"},
    {"BlockDevice", S_IFBLK, false, "a block device"},
}};

Result<void> Create(const PathType& type, const std::string& path) {
  if (type.kind == S_IFDIR) return MakeFolders(path);
  const FileDescriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  if (!fd) return FailErrno("create " + path);
  return {};
}

bool IsMounted(const std::string& path) {
  struct statx facts {};
  return ::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, 0, &facts) == 0 &&
         (facts.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

// Whether it was made just now.
Result<bool> MakeFolder(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) == 0) return true;
  if (errno == EEXIST) return false;
  return FailErrno("make folder " + path);
}

// Whether it was mounted just now.
Result<bool> MountTmpfs(const std::string& path, const std::optional<Quantity>& size_limit) {
  if (IsMounted(path)) return false;
  std::string options = "mode=0777";
  if (size_limit && size_limit->Value() > 0) {
    options += fmt::format(",size={}", size_limit->Value());
  }
  if (::mount("tmpfs", path.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) == 0) {
    return true;
  }
  return FailErrno("mount a tmpfs at " + path);
}

// Makes what one kind of volume needs at `path`.
class Preparation {
 public:
  Preparation(const Paths& paths, const Pod& pod, std::string path)
      : paths_(paths), pod_(pod), path_(std::move(path)) {}

  Result<void> operator()(const EmptyDirSource& source) const {
    if (source.medium != "" && source.medium != "Memory") {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format(R"(emptyDir medium "{}" is not supported: use "" or "Memory")",
                              source.medium));
    }
    auto made = MakeFolder(path_);
    if (made && source.medium == "Memory") {
      made =
          MountTmpfs(path_, source.size_limit).map([&](bool mounted) { return mounted || *made; });
    }
    if (!made) return Fail(made.error());
    // The pod may have set another mode since.
    return *made || IsUnfinished() ? OpenToAll() : Result<void>{};
  }
  Result<void> operator()(const HostPathSource& source) const { return PrepareHostPath(source); }
  Result<void> operator()(const ConfigMapSource& source) const {
    return Link("configMap", source.name, paths_.ConfigMap(pod_.namespace_, source.name),
                source.optional);
  }
  Result<void> operator()(const SecretSource& source) const {
    return Link("secret", source.secret_name, paths_.Secret(pod_.namespace_, source.secret_name),
                source.optional);
  }
  Result<void> operator()(const GitRepoSource&) const { return Unsupported("gitRepo"); }
  Result<void> operator()(const OtherVolumeSource& source) const {
    return Unsupported(source.kind);
  }

 private:
  // Whether no runtime has written the pod down yet, which it does when the volumes are complete.
  [[nodiscard]] bool IsUnfinished() const {
    const auto has = [&](std::string_view mark) {
      return Exists(fmt::format("{}/{}", paths_.Pod(pod_.uid), mark));
    };
    return !has(kProcessPodMarks.own) && !has(kCriPodMarks.own);
  }
  // Everybody may write to the folder. Files that are made in it belong to the pod's group, too.
  [[nodiscard]] Result<void> OpenToAll() const {
    const auto group = pod_.security_context.fs_group;
    // The umask limits mkdir's mode, but not this one.
    if (!group)
      return ::chmod(path_.c_str(), 0777) == 0 ? Result<void>{} : FailErrno("chmod " + path_);
    if (::chown(path_.c_str(), static_cast<uid_t>(-1), static_cast<gid_t>(*group)) != 0) {
      return FailErrno("chown " + path_);
    }
    return ::chmod(path_.c_str(), 02777) == 0 ? Result<void>{} : FailErrno("chmod " + path_);
  }
  Result<void> Link(std::string_view kind, const std::string& name, const std::string& folder,
                    bool optional) const {
    if (!IsPathSegment(name) || !IsPathSegment(pod_.namespace_)) {
      return Fail(ErrorCode::kInvalidArgument, fmt::format("{} \"{}\" is not a name", kind, name));
    }
    if (Exists(folder)) {
      if (::symlink(folder.c_str(), path_.c_str()) == 0 || errno == EEXIST) return {};
      return FailErrno("link " + path_);
    }
    if (optional) return MakeFolders(path_);
    return Fail(
        ErrorCode::kNotFound,
        fmt::format("{0} \"{1}\" not found: make the folder {2} with a file for each key, or "
                    "mark the {0} optional",
                    kind, name, folder));
  }

  static Result<void> Unsupported(std::string_view kind) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{} is not supported by the process runtime: use emptyDir, hostPath, "
                            "configMap or secret",
                            kind));
  }

  const Paths& paths_;
  const Pod& pod_;
  std::string path_;
};

// The path that a volume touches and that is not the pod's; absent: it touches none.
std::optional<std::string> ForeignPathOf(const Paths& paths, const Pod& pod, const Volume& volume) {
  if (const auto* source = std::get_if<HostPathSource>(&volume.source)) return source->path;
  if (const auto* source = std::get_if<ConfigMapSource>(&volume.source)) {
    return paths.ConfigMap(pod.namespace_, source->name);
  }
  if (const auto* source = std::get_if<SecretSource>(&volume.source)) {
    return paths.Secret(pod.namespace_, source->secret_name);
  }
  return std::nullopt;
}

Result<void> PrepareVolume(const Paths& paths, const Pod& pod, const Volume& volume) {
  return std::visit(Preparation(paths, pod, paths.Volume(pod.uid, volume.name)), volume.source);
}

}  // namespace

Result<void> PrepareHostPath(const HostPathSource& source) {
  if (!source.path.starts_with('/')) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("hostPath \"{}\" must be absolute", source.path));
  }
  struct stat facts {};
  if (source.type.empty()) {
    (void)::stat(source.path.c_str(), &facts);  // an absent path only matters to the mount
    return {};
  }
  const auto type = std::find_if(kTypes.begin(), kTypes.end(),
                                 [&](const PathType& t) { return t.name == source.type; });
  if (type == kTypes.end()) {
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("hostPath type \"{}\" is not one of Directory, DirectoryOrCreate, File, "
                    "FileOrCreate, Socket, CharDevice, BlockDevice",
                    source.type));
  }
  if (::stat(source.path.c_str(), &facts) != 0) {
    if (errno == ENOENT && type->create) return Create(*type, source.path);
    return FailErrno(fmt::format("hostPath {} ({})", source.path, source.type));
  }
  if ((facts.st_mode & S_IFMT) == type->kind) return {};
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("hostPath {} is not {}", source.path, type->article));
}

Result<void> PrepareVolumes(const Paths& paths, const Pod& pod) {
  if (auto made = MakeFolders(paths.Volumes(pod.uid)); !made) return made;
  for (const Volume& volume : pod.volumes) {
    if (ForeignPathOf(paths, pod, volume)) continue;
    auto prepared = PrepareVolume(paths, pod, volume);
    if (!prepared) return Fail(prepared.error().In("volume " + volume.name));
  }
  return {};
}

std::vector<PathStep> VolumeSteps(const Paths& paths, const Pod& pod) {
  std::vector<PathStep> steps;
  const auto own = std::make_shared<const Pod>(pod);
  for (const Volume& volume : own->volumes) {
    auto path = ForeignPathOf(paths, *own, volume);
    if (!path) continue;
    steps.push_back({.what = "volume " + volume.name,
                     .path = std::move(*path),
                     .work = [paths, own, &volume](const std::atomic<bool>&) {
                       return PrepareVolume(paths, *own, volume);
                     }});
  }
  return steps;
}

}  // namespace jettison::kernel
