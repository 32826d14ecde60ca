#include "machine/state/state_root.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "kernel/files/files.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

constexpr Duration kReadPatience = std::chrono::seconds(1);
constexpr Duration kReadAgainAfter = std::chrono::milliseconds(50);
constexpr std::string_view kTitle = "jettison state ";
constexpr std::string_view kRemark =
    "The version of what jettison keeps in this folder. A program that does not know it leaves the "
    "folder alone.\n";

std::string In(const std::string& root, std::string_view name) {
  return fmt::format("{}/{}", root == "/" ? "" : root, name);
}

bool RunsPods(const AgentConfig& config) {
  return config.source == SourceKind::kManifests && !config.static_pod_path.empty();
}

// Whether a failed call on a file says that the disk is read-only, full or broken, and not that a
// path is wrong or closed to the agent.
bool IsDiskFault(const std::error_code& error) {
  constexpr std::array kFaults = {EROFS, EIO, ENOSPC, EDQUOT, EUCLEAN, ENXIO, ESTALE};
  return error && std::ranges::find(kFaults, error.value()) != kFaults.end();
}

std::error_code MakeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  return error;
}

std::error_code MakeRoot(const std::string& root) {
  if (const auto error = MakeFolder(root)) return error;
  return {::access(root.c_str(), W_OK) == 0 ? 0 : errno, std::generic_category()};
}

// What the runtime of an agent's own pods needs in the root. It says itself what else is wrong.
std::error_code MakeRuntimesPlaces(const AgentConfig& config) {
  if (config.source != SourceKind::kManifests) return {};
  if (const auto error = MakeFolder(In(config.root, "pods")); IsDiskFault(error)) return error;
  const bool has_logs = config.logs.directory.starts_with(In(config.root, ""));
  if (const auto error = has_logs ? MakeFolder(config.logs.directory) : std::error_code();
      IsDiskFault(error)) {
    return error;
  }
  const FileDescriptor lock(::open(In(config.root, "lock").c_str(),
                                   O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
  const std::error_code error(lock ? 0 : errno, std::generic_category());
  return IsDiskFault(error) ? error : std::error_code();
}

Error RootRefused(const std::string& root, const std::error_code& why) {
  return {ErrorCode::kPermissionDenied,
          fmt::format("root directory {} cannot be written: {}; set `root` in "
                      "JettisonConfiguration to a directory that can",
                      root, why.message())};
}

bool IsOtherThanFile(const std::string& path) {
  struct stat facts {};
  return ::lstat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode);
}

// kInvalidArgument: what is there says no version. Absent where nobody has noted one. A file that
// is blank was being made when the machine went down, which comes before anything else in that
// folder.
Result<std::optional<std::uint64_t>> VersionIn(const std::string& file) {
  const auto text = kernel::ReadFile(file);
  if (!text && text.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!text) {
    return Fail(IsOtherThanFile(file)
                    ? Error{ErrorCode::kInvalidArgument, file + " does not say a version"}
                    : text.error());
  }
  if (text->find_first_not_of(std::string_view(" \n\0", 3)) == std::string::npos) {
    return std::nullopt;
  }
  std::string_view line = std::string_view(*text).substr(0, text->find('\n'));
  std::uint64_t version = 0;
  if (line.starts_with(kTitle)) {
    line.remove_prefix(kTitle.size());
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), version);
    if (error == std::errc() && end == line.data() + line.size() && version > 0) return version;
  }
  return Fail(ErrorCode::kInvalidArgument, file + " does not say a version");
}

// The version below a root, or that of this program where it cannot be read: a disk that fails for
// a moment is far likelier than state of another version. Absent and kInvalidArgument as in
// VersionIn.
Result<std::optional<std::uint64_t>> VersionPatientlyIn(const std::string& file, const Log& log,
                                                        const RootWait& wait) {
  auto version = VersionIn(file);
  const auto is_unread = [&] {
    return !version && version.error().code != ErrorCode::kInvalidArgument;
  };
  for (Duration waited{0}; is_unread() && waited < kReadPatience; waited += kReadAgainAfter) {
    wait(kReadAgainAfter);
    version = VersionIn(file);
  }
  if (!is_unread()) return version;
  log.Warn("the version of the saved state cannot be read; it is taken to be the known one",
           {{"file", file},
            {"err", version.error().message},
            {"known", fmt::format("version {}", kStateVersion)}});
  return kStateVersion;
}

// To the disk: what it tells of survives the machine.
Result<void> NoteVersion(const std::string& file) {
  const std::string text = fmt::format("{}{}\n{}", kTitle, kStateVersion, kRemark);
  if (auto written = kernel::RewriteFile(file, text); !written) return written;
  const FileDescriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!opened || ::fsync(opened.get()) != 0) return FailErrno("write to the disk " + file);
  return {};
}

bool HoldsPods(const std::string& root) {
  const auto pods = kernel::NamesIn(In(root, "pods"));
  return !pods || !pods->empty();
}

// The root of this program's own in one whose state is another program's.
std::string OwnRootIn(const std::string& root) {
  return In(root, fmt::format("version-{}", kStateVersion));
}

// Runs by a root in the place of the configured one, whose state is another program's.
AgentConfig WithRoot(const AgentConfig& config, const std::string& root) {
  AgentConfig own = config;
  own.root = root;
  const std::string logs = In(config.root, "");
  if (own.logs.directory.starts_with(logs)) {
    own.logs.directory = In(own.root, own.logs.directory.substr(logs.size()));
  }
  return own;
}

Error VersionRefused(const std::string& root, const std::string& found) {
  return {ErrorCode::kInternal,
          fmt::format("root directory {} {}, and this program knows version {}; nothing in it was "
                      "changed, and running pods keep running. Install the program that wrote it "
                      "again, or set `root` in JettisonConfiguration to another directory",
                      root, found, kStateVersion)};
}

void SayOtherVersion(const AgentConfig& config, const std::string& found, const std::string& used,
                     const Log& log) {
  log.Warn(
      "the state below root has another version and is not used; the agent guards the node without "
      "the records and back-offs in it",
      {{"root", config.root},
       {"found", found},
       {"known", fmt::format("version {}", kStateVersion)},
       {"used", used},
       {"mend", "install the program that wrote it again"}});
}

Result<OpenedRoot> BesideOther(const AgentConfig& config, const std::string& found,
                               const Log& log) {
  if (RunsPods(config) || HoldsPods(config.root)) return Fail(VersionRefused(config.root, found));
  AgentConfig own = WithRoot(config, OwnRootIn(config.root));
  if (const auto error = MakeFolder(own.root)) return Fail(RootRefused(own.root, error));
  SayOtherVersion(config, found, own.root, log);
  std::string folder = own.root;
  return OpenedRoot{.config = std::move(own), .state = {.folder = std::move(folder)}};
}

// What is wrong with a version; empty: it is the known one, or not noted.
std::string FaultOf(const Result<std::optional<std::uint64_t>>& version) {
  if (!version) return "holds state of an unknown version: " + version.error().message;
  if (!*version || **version == kStateVersion) return {};
  return fmt::format("holds state of version {}", **version);
}

// The disk of the root fails. What can be read in it is all there is.
Result<OpenedRoot> WithoutRoot(const AgentConfig& config, const std::error_code& why,
                               const std::string& fault, const Log& log) {
  OpenedRoot opened{.config = config, .state = {.folder = config.root, .root_fails = true}};
  if (!fault.empty()) {
    if (RunsPods(config) || HoldsPods(config.root)) {
      return Fail(VersionRefused(config.root, fault));
    }
    opened.config = WithRoot(config, OwnRootIn(config.root));
    opened.state.folder = opened.config.root;
    SayOtherVersion(config, fault, opened.state.folder, log);
  }
  log.Warn(
      "root cannot be written; the agent guards the node. Until root can be written, no pod is "
      "started, and the agent's state and passes are not kept",
      {{"root", config.root}, {"err", why.message()}, {"mend", "make root writable"}});
  opened.state.problem = fmt::format(
      "root directory {} cannot be written: {}; no pod is started, and the agent's state "
      "and passes are not kept; make the directory writable",
      config.root, why.message());
  return opened;
}

}  // namespace

void RestFor(Duration duration) {
  std::this_thread::sleep_for(duration);
}

bool CanWriteRoot(const AgentConfig& config) {
  return !MakeRoot(config.root) && !MakeRuntimesPlaces(config);
}

Result<OpenedRoot> OpenStateRoot(const AgentConfig& config, const Log& log, const RootWait& wait) {
  std::error_code failed = MakeRoot(config.root);
  if (failed && !IsDiskFault(failed)) return Fail(RootRefused(config.root, failed));
  const std::string file = In(config.root, "state-version");
  const auto version = VersionPatientlyIn(file, log, wait);
  const std::string fault = FaultOf(version);
  if (!failed && fault.empty()) failed = MakeRuntimesPlaces(config);
  if (failed) return WithoutRoot(config, failed, fault, log);
  if (!fault.empty()) return BesideOther(config, fault, log);
  if (!*version) {
    if (const auto noted = NoteVersion(file); !noted) {
      log.Warn(
          "the version of the saved state cannot be written; the next agent takes it to be version "
          "1",
          {{"file", file}, {"err", noted.error().message}});
    }
  }
  return OpenedRoot{.config = config, .state = {.folder = config.root}};
}

}  // namespace jettison
