#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/model/cgroup_driver.h"
#include "core/units/result.h"

namespace jettison::cri {

// A folder, a file or a link in an image. Everything belongs to root, and everybody may write to
// /tmp.
struct ImageEntry {
  enum class Kind : char { kFile = '0', kLink = '2', kFolder = '5' };

  std::string path;  // relative to the image's root; of a folder with a slash at the end
  Kind kind = Kind::kFolder;
  std::string content = {};  // of a file its bytes, of a link where it leads
};

// An image with one layer. Two that differ in any of this have different IDs.
struct OwnImage {
  std::string reference;  // with tag: "bed.local/app:1"
  std::vector<std::string> entrypoint;
  std::vector<std::string> arguments = {};  // when a container names none
  std::vector<ImageEntry> entries;
};

// An archive of images as `docker save` writes it, with `scratch` as a file for a while. Needs the
// program sha256sum.
[[nodiscard]] Result<std::string> ImageArchive(const std::vector<OwnImage>& images,
                                               const std::string& scratch);

// containerd's namespace of what CRI makes.
inline constexpr const char* kCriNamespace = "k8s.io";

// A containerd whose files are all in two folders, but for the sockets of its shims, which are in
// /run/containerd. Pods have no network of their own.
struct OwnContainerd {
  std::string root;         // images and writable layers: their file system is the pods'
  std::string folder;       // all the rest: configuration, socket, log, state, and runc's
  std::string pause_image;  // of sandboxes
  // Who makes containers' groups. With systemd, which must run then.
  CgroupDriver cgroup_driver = CgroupDriver::kCgroupfs;

  [[nodiscard]] std::string Socket() const { return folder + "/containerd.sock"; }
  [[nodiscard]] std::string Log() const { return folder + "/containerd.log"; }

  // Starts it; it answers some 200 ms later. It ends with this thread, or before by the caller, who
  // then takes away what it leaves. kNotFound where containerd or runc is not installed.
  [[nodiscard]] Result<pid_t> Start() const;
  // Runs the command ctr in one of its namespaces; fails with the last line of what it says.
  [[nodiscard]] Result<void> Ctr(const std::string& in_namespace,
                                 const std::vector<std::string>& words) const;
  // Makes images known in that namespace.
  [[nodiscard]] Result<void> Import(const std::string& in_namespace,
                                    const std::vector<OwnImage>& images) const;
};

}  // namespace jettison::cri
