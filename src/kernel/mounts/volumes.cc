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
#include <type_traits>
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

tl::unexpected<Error> FailVolume(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

// Everybody may write to the folder. Files that are made in it belong to the pod's group, too.
Result<void> OpenToAll(const Pod& pod, const std::string& path) {
  const auto group = pod.security_context.fs_group;
  if (group && ::chown(path.c_str(), static_cast<uid_t>(-1), static_cast<gid_t>(*group)) != 0) {
    return FailErrno("chown " + path);
  }
  // The umask limits mkdir's mode, but not this one.
  if (::chmod(path.c_str(), group ? 02777 : 0777) != 0) return FailErrno("chmod " + path);
  return {};
}

// Whether no runtime has written the pod down yet, which it does when the volumes are complete.
bool IsUnfinished(const Paths& paths, const Pod& pod) {
  const auto has = [&](std::string_view mark) {
    return Exists(fmt::format("{}/{}", paths.Pod(pod.uid), mark));
  };
  return !has(kProcessPodMarks.own) && !has(kCriPodMarks.own);
}

Result<void> PrepareEmptyDir(const Paths& paths, const Pod& pod, const EmptyDirSource& source,
                             const std::string& path) {
  const bool in_memory = source.medium == "Memory";
  if (!in_memory && source.medium != "") {
    return FailVolume(
        fmt::format(R"(emptyDir medium "{}" is not supported: use "" or "Memory")", source.medium));
  }
  bool is_new = ::mkdir(path.c_str(), 0755) == 0;
  if (!is_new && errno != EEXIST) return FailErrno("make folder " + path);
  if (in_memory && !IsMounted(path)) {
    std::string options = "mode=0777";
    if (source.size_limit && source.size_limit->Value() > 0) {
      options += fmt::format(",size={}", source.size_limit->Value());
    }
    if (::mount("tmpfs", path.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) != 0) {
      return FailErrno("mount a tmpfs at " + path);
    }
    is_new = true;
  }
  // The pod may have set another mode since.
  return is_new || IsUnfinished(paths, pod) ? OpenToAll(pod, path) : Result<void>{};
}

// What a configMap or a secret is to be a link to.
struct Content {
  std::string_view kind;
  const std::string& name;
  std::string folder;
  bool optional = false;
};

Result<void> Link(const Content& content, const Pod& pod, const std::string& path) {
  const auto& [kind, name, folder, optional] = content;
  if (!IsPathSegment(name) || !IsPathSegment(pod.namespace_)) {
    return FailVolume(fmt::format("{} \"{}\" is not a name", kind, name));
  }
  if (Exists(folder)) {
    if (::symlink(folder.c_str(), path.c_str()) == 0 || errno == EEXIST) return {};
    return FailErrno("link " + path);
  }
  if (optional) return MakeFolders(path);
  return Fail(ErrorCode::kNotFound,
              fmt::format("{0} \"{1}\" not found: make the folder {2} with a file for each key, or "
                          "mark the {0} optional",
                          kind, name, folder));
}

Result<void> FailUnsupported(std::string_view kind) {
  return FailVolume(
      fmt::format("{} is not supported by the process runtime: use emptyDir, "
                  "hostPath, configMap or secret",
                  kind));
}

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
  const std::string path = paths.Volume(pod.uid, volume.name);
  const auto prepare = [&]<typename Source>(const Source& source) -> Result<void> {
    if constexpr (std::is_same_v<Source, EmptyDirSource>) {
      return PrepareEmptyDir(paths, pod, source, path);
    } else if constexpr (std::is_same_v<Source, HostPathSource>) {
      return PrepareHostPath(source);
    } else if constexpr (std::is_same_v<Source, ConfigMapSource>) {
      auto folder = paths.ConfigMap(pod.namespace_, source.name);
      return Link({"configMap", source.name, std::move(folder), source.optional}, pod, path);
    } else if constexpr (std::is_same_v<Source, SecretSource>) {
      auto folder = paths.Secret(pod.namespace_, source.secret_name);
      return Link({"secret", source.secret_name, std::move(folder), source.optional}, pod, path);
    } else if constexpr (std::is_same_v<Source, GitRepoSource>) {
      return FailUnsupported("gitRepo");
    } else {
      return FailUnsupported(source.kind);
    }
  };
  return std::visit(prepare, volume.source);
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
