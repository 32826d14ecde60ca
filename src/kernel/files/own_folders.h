#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/units/result.h"
#include "kernel/files/paths.h"
#include "ports/file_descriptor.h"

namespace jettison::kernel {

// Takes the lock (flock) of an open file for this process. A killed agent may leave a forked child
// behind which has not yet executed its program and which still holds the agent's descriptors, and
// with them its locks. A lock that is held is therefore tried for a second, every 10 ms. Returns
// false where the lock cannot be taken; errno is EWOULDBLOCK where another process holds it.
[[nodiscard]] bool AwaitLock(int file);

// The name of a folder of a pod or of its logs that is being deleted may begin so; no UID and no
// namespace does.
inline constexpr std::string_view kDoomedPrefix = ".gone-";

// Whether a folder has nothing in it but what a runtime of this project makes for a pod, and is no
// mount point. One with anything else was put there by somebody else, and must not be deleted; nor
// must one that cannot be read.
[[nodiscard]] bool IsPodFolder(const std::string& path);

// Fails if something is where the folder of a new pod will be, and is no folder of a pod: it would
// be deleted with the pod. The error says what to do.
[[nodiscard]] Result<void> CheckPodPlace(const std::string& path);

// The folders of a pod's logs, whatever its name was.
[[nodiscard]] Result<std::vector<std::string>> LogFoldersOf(const Paths& paths,
                                                            std::string_view uid);

// By which file in a pod's folder each runtime knows its own pods.
struct PodMarks {
  std::string_view own;            // of the runtime that asks
  std::string_view other;          // of the other one
  std::string_view other_runtime;  // its name in the configuration
};
inline constexpr PodMarks kProcessPodMarks{
    .own = "pod.json", .other = "record", .other_runtime = "cri"};
inline constexpr PodMarks kCriPodMarks{
    .own = "record", .other = "pod.json", .other_runtime = "process"};

// Fails if a folder in `pods` is that of a pod of the other runtime, which this one would take for
// leftovers: kInvalidArgument; also if the folders cannot be listed.
[[nodiscard]] Result<void> CheckPodsAreOwn(const std::string& pods, const PodMarks& marks);

// Makes the folders of a runtime's root and takes its lock for as long as the descriptor is open:
// two agents on one root would each take the other's pods for their own. Nobody but their owner and
// its group may enter the folder of the pods, as with the kubelet (mode 0750): everybody may write
// to the volumes in it; the mode of one that is there already is corrected. On a disk that is
// read-only, full or broken, the runtime does without what cannot be made: the descriptor is empty
// then, unless the lock is there. Fails with kUnavailable where another runtime holds the lock, and
// with kInvalidArgument where the root is no absolute path or the pods are the other runtime's.
[[nodiscard]] Result<FileDescriptor> OpenRootFolders(const Paths& paths, const PodMarks& marks);

}  // namespace jettison::kernel
