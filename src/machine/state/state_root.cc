#include "machine/state/state_root.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

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
  AgentConfig own = WithRoot(config, In(config.root, fmt::format("version-{}", kStateVersion)));
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

std::string ProblemOf(const std::string& root, const std::error_code& why,
                      const std::string& folder) {
  return fmt::format(
      "root directory {} cannot be written: {}; no pod is started, evictions and passes are not "
      "recorded, and the agent's state is {}; make the directory writable",
      root, why.message(),
      folder == root ? "not kept" : "kept in " + folder + " until the machine restarts");
}

void SayStandIn(const AgentConfig& config, const std::error_code& why, const StandIn& used,
                const Log& log) {
  const std::string not_read = fmt::format("{}", fmt::join(used.not_read, ", "));
  log.Warn(
      "root cannot be written; the agent guards the node with its state in memory. Until root can "
      "be written, no pod is started, and evictions and passes are not recorded",
      {{"root", config.root},
       {"err", why.message()},
       {"used", used.folder},
       {"notRead", not_read.empty() ? "nothing" : not_read},
       {"mend", "make root writable"}});
}

// The disk of the root fails. If nothing can stand in, what is read of the root is all there is.
Result<OpenedRoot> WithStandIn(const AgentConfig& config, const std::error_code& why,
                               const std::string& fault, const RootEdges& edges, const Log& log) {
  if (!fault.empty() && (RunsPods(config) || HoldsPods(config.root))) {
    return Fail(VersionRefused(config.root, fault));
  }
  auto used =
      OpenStandIn(StandInFor(config.root, edges.stand_ins), fault.empty() ? config.root : "");
  if (!used && used.error().code == ErrorCode::kUnavailable) return Fail(used.error());
  if (!used) {
    log.Warn("the agent's state cannot be kept in memory either", {{"err", used.error().message}});
    used = StandIn{.folder = config.root, .lock = {}, .not_read = {}};
  }
  SayStandIn(config, why, *used, log);
  OpenedRoot opened{.config = config,
                    .state = {.folder = used->folder,
                              .problem = ProblemOf(config.root, why, used->folder),
                              .root_fails = true,
                              .not_read = used->not_read,
                              .root = config.root,
                              .lock = std::move(used->lock)}};
  if (fault.empty()) return opened;
  SayOtherVersion(config, fault, opened.state.folder, log);
  opened.config = WithRoot(config, opened.state.folder);
  opened.state.root_fails = false;
  return opened;
}

// The root can be written. What an agent has kept elsewhere meanwhile is newer.
Result<OpenedRoot> WithRootItself(const AgentConfig& config, const RootEdges& edges,
                                  const Log& log) {
  OpenedRoot opened{.config = config, .state = {.folder = config.root}};
  const std::string folder = StandInFor(config.root, edges.stand_ins);
  const auto taken = TakeBack(folder, config.root);
  if (taken) {
    if (*taken) {
      log.Info("the state that was kept in memory while root could not be written is below root",
               {{"root", config.root}, {"from", folder}});
    }
    return opened;
  }
  if (taken.error().code == ErrorCode::kUnavailable) return Fail(taken.error());
  auto used = OpenStandIn(folder, "");
  if (!used) return Fail(used.error());
  log.Warn("the state that was kept in memory cannot be moved below root, and stays there",
           {{"root", config.root}, {"used", folder}, {"err", taken.error().message}});
  opened.state = {.folder = folder,
                  .problem = fmt::format("the agent's state in {} cannot be moved below root: {}; "
                                         "mend that, then restart the agent",
                                         folder, taken.error().message),
                  .lock = std::move(used->lock)};
  return opened;
}

}  // namespace

void RestFor(Duration duration) {
  std::this_thread::sleep_for(duration);
}

bool CanWriteRoot(const AgentConfig& config) {
  return !MakeRoot(config.root) && !MakeRuntimesPlaces(config);
}

Result<OpenedRoot> OpenStateRoot(const AgentConfig& config, const Log& log,
                                 const RootEdges& edges) {
  std::error_code failed = MakeRoot(config.root);
  if (failed && !IsDiskFault(failed)) return Fail(RootRefused(config.root, failed));
  const std::string file = In(config.root, "state-version");
  const auto version = VersionPatientlyIn(file, log, edges.wait);
  const std::string fault = FaultOf(version);
  if (!failed && fault.empty()) failed = MakeRuntimesPlaces(config);
  if (failed) return WithStandIn(config, failed, fault, edges, log);
  if (!fault.empty()) return BesideOther(config, fault, log);
  if (!*version) {
    if (const auto noted = NoteVersion(file); !noted) {
      log.Warn(
          "the version of the saved state cannot be written; the next agent takes it to be version "
          "1",
          {{"file", file}, {"err", noted.error().message}});
    }
  }
  return WithRootItself(config, edges, log);
}

}  // namespace jettison
