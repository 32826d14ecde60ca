#include "runtimes/cri/test_bed/own_containerd.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include "kernel/files/files.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison::cri {
namespace {

// Standard output and error are written to `output`. The program ends with this thread, gets no
// signals from the terminal, and blocks none.
Result<pid_t> Spawn(const std::vector<std::string>& arguments, int output) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  if (::access(argv.front(), X_OK) != 0) return FailErrno("start " + arguments.front());
  const FileDescriptor input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const pid_t pid = ::fork();
  if (pid < 0) return FailErrno("start " + arguments.front());
  if (pid > 0) return pid;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setsid();
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(input.get(), STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::execv(argv.front(), argv.data());
  ::_exit(127);
}

std::string ReadAll(int fd) {
  std::string text;
  char part[4096];
  ssize_t size = 0;
  while ((size = ::read(fd, part, sizeof part)) > 0 || (size < 0 && errno == EINTR)) {
    if (size > 0) text.append(part, static_cast<std::size_t>(size));
  }
  return text;
}

std::string LastLine(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return std::string(text.substr(text.rfind('\n') + 1));
}

}  // namespace

Result<std::string> FindProgram(const std::string& name) {
  const char* path = std::getenv("PATH");
  const std::string folders = fmt::format(
      "{}:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin", path == nullptr ? "" : path);
  for (std::string_view rest = folders; !rest.empty();) {
    const auto colon = rest.find(':');
    std::string candidate = fmt::format("{}/{}", rest.substr(0, colon), name);
    if (candidate.starts_with('/') && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
  }
  return Fail(ErrorCode::kNotFound, fmt::format("there is no program {} in $PATH", name));
}

Result<std::string> RunProgram(const std::vector<std::string>& arguments) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return FailErrno("make a pipe");
  const FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  const auto pid = Spawn(arguments, writing.get());
  writing = FileDescriptor();
  if (!pid) return Fail(pid.error());
  std::string text = ReadAll(reading.get());
  int status = 0;
  while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (status == 0) return text;
  return Fail(ErrorCode::kInternal,
              fmt::format("{} failed: {}", arguments.front(), LastLine(text)));
}

Result<pid_t> StartProgram(const std::vector<std::string>& arguments,
                           const std::string& output_file) {
  const FileDescriptor output(
      ::open(output_file.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!output) return FailErrno("open " + output_file);
  return Spawn(arguments, output.get());
}

namespace {

constexpr std::size_t kBlock = 512;

// A file in an archive, or a folder, whose path ends with a slash.
struct ImageEntry {
  std::string path;
  std::string content = {};
};

// One entry of a tar archive (POSIX.1-1988 ustar), owned by root, with the time of the epoch.
void Append(std::string& tar, const ImageEntry& entry) {
  std::array<char, kBlock> header{};
  const auto put = [&](std::size_t at, const std::string& text) {
    std::copy(text.begin(), text.end(), header.begin() + static_cast<std::ptrdiff_t>(at));
  };
  put(0, entry.path);
  put(100, entry.path == "tmp/" ? "0001777" : "0000755");
  put(108, "0000000");  // owner
  put(116, "0000000");  // group
  put(124, fmt::format("{:011o}", entry.content.size()));
  put(136, "00000000000");  // modified
  put(148, "        ");     // the checksum field counts as blanks
  header[156] = entry.path.ends_with('/') ? '5' : '0';
  put(257, "ustar");
  put(263, "00");
  unsigned sum = 0;
  for (const char byte : header) sum += static_cast<unsigned char>(byte);
  put(148, fmt::format("{:06o}", sum));
  header[154] = '\0';
  tar.append(header.data(), header.size());
  tar += entry.content;
  tar.append((kBlock - entry.content.size() % kBlock) % kBlock, '\0');
}

std::string Tar(const std::vector<ImageEntry>& entries) {
  std::string tar;
  for (const ImageEntry& entry : entries) Append(tar, entry);
  tar.append(2 * kBlock, '\0');
  return tar;
}

// The SHA-256 of some bytes in hexadecimal.
Result<std::string> DigestOf(const std::string& bytes, const std::string& scratch) {
  const auto program = FindProgram("sha256sum");
  if (!program) return Fail(program.error());
  if (auto written = kernel::WriteFile(scratch, bytes); !written) return Fail(written.error());
  const auto line = RunProgram({*program, scratch});
  ::unlink(scratch.c_str());
  if (!line) return Fail(line.error());
  return line->substr(0, line->find(' '));
}

// References and arguments contain nothing that JSON requires to be escaped.
std::string ListJson(const std::vector<std::string>& texts) {
  return texts.empty() ? "[]" : fmt::format(R"(["{}"])", fmt::join(texts, R"(",")"));
}

// Version 2 of containerd's configuration (containerd-config.toml(5), CRI plugin's config.md).
// - opt and the snapshotters that are switched off would make or probe things of the host.
// - Nothing may need a privilege that a machine in a container lacks: no AppArmor, no negative
//   oom_score_adj (restrict_oom_score_adj: without CAP_SYS_RESOURCE runc refuses the sandbox's).
// - cni: without it pods share the host's network.
// - Root: runc keeps its state outside containerd's otherwise.
constexpr const char* kConfiguration = R"(version = 2
root = "{root}"
state = "{folder}/state"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs",
  "io.containerd.snapshotter.v1.aufs", "io.containerd.tracing.processor.v1.otlp",
  "io.containerd.internal.v1.tracing"]
[grpc]
  address = "{socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{pause}"
  disable_tcp_service = true
  disable_apparmor = true
  restrict_oom_score_adj = true
  tolerate_missing_hugetlb_controller = true
  stats_collect_period = 1
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{folder}/no-cni"
    conf_dir = "{folder}/no-cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        BinaryName = "{runc}"
        Root = "{folder}/runc"
        SystemdCgroup = {systemd}
)";

// An archive of images as `docker save` writes it, with `scratch` as a file for a while.
Result<std::string> ImageArchive(const std::vector<TestImage>& images, const std::string& program,
                                 const std::string& scratch) {
  std::vector<ImageEntry> entries;
  std::vector<std::string> manifest;
  for (const TestImage& image : images) {
    std::vector<ImageEntry> files = {{"tmp/"}, {"etc/"}, {"test-program", program}};
    if (image.padding_bytes > 0)
      files.push_back({"padding", std::string(image.padding_bytes, 'p')});
    std::string layer = Tar(files);
    const auto digest = DigestOf(layer, scratch);
    if (!digest) return Fail(digest.error());
    // Without its reference two images with the same content would be one.
    std::string config = fmt::format(
        R"({{"architecture":"amd64","os":"linux","config":{{"Entrypoint":["/test-program"],)"
        R"("Cmd":{},"WorkingDir":"/","Labels":{{"jettison.io/reference":"{}"}}}},)"
        R"("rootfs":{{"type":"layers","diff_ids":["sha256:{}"]}}}})",
        ListJson(image.arguments), image.reference, *digest);
    const std::string config_name = fmt::format("{}.json", manifest.size());
    const std::string layer_name = fmt::format("{}.tar", manifest.size());
    manifest.push_back(fmt::format(R"({{"Config":"{}","RepoTags":["{}"],"Layers":["{}"]}})",
                                   config_name, image.reference, layer_name));
    entries.push_back({config_name, std::move(config)});
    entries.push_back({layer_name, std::move(layer)});
  }
  entries.push_back({"manifest.json", fmt::format("[{}]", fmt::join(manifest, ","))});
  return Tar(entries);
}

}  // namespace

Result<pid_t> OwnContainerd::Start() const {
  const auto containerd = FindProgram("containerd");
  if (!containerd) return Fail(containerd.error());
  const auto runc = FindProgram("runc");
  if (!runc) return Fail(runc.error());
  const std::string config = folder + "/config.toml";
  const auto written = kernel::WriteFile(
      config, fmt::format(fmt::runtime(kConfiguration), fmt::arg("root", root),
                          fmt::arg("folder", folder), fmt::arg("socket", Socket()),
                          fmt::arg("pause", pause_image), fmt::arg("runc", *runc),
                          fmt::arg("systemd", cgroup_driver == CgroupDriver::kSystemd)));
  if (!written) return Fail(written.error());
  return StartProgram({*containerd, "--config", config}, Log());
}

Result<void> OwnContainerd::Ctr(const std::string& in_namespace,
                                const std::vector<std::string>& words) const {
  const auto ctr = FindProgram("ctr");
  if (!ctr) return Fail(ctr.error());
  std::vector<std::string> command = {*ctr, "--address", Socket(), "--namespace", in_namespace};
  command.insert(command.end(), words.begin(), words.end());
  const auto said = RunProgram(command);
  return said ? Result<void>() : Fail(said.error());
}

Result<void> OwnContainerd::Import(const std::string& in_namespace,
                                   const std::vector<TestImage>& images) const {
  const auto program = kernel::ReadFile(JETTISON_CRI_TEST_PROGRAM);
  if (!program) return Fail(program.error());
  const std::string path = folder + "/images.tar";
  const auto archive = ImageArchive(images, *program, path);
  if (!archive) return Fail(archive.error());
  if (auto written = kernel::WriteFile(path, *archive); !written) return written;
  auto imported = Ctr(in_namespace, {"images", "import", path});
  ::unlink(path.c_str());
  return imported;
}

}  // namespace jettison::cri
