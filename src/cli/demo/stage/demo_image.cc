#include "cli/demo/stage/demo_image.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "cli/demo/stage/subprocess.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

Result<void> Write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  if (!file) return Fail(ErrorCode::kInternal, "cannot write " + path);
  return {};
}

Result<void> Tar(const std::string& archive, const std::string& folder,
                 const std::vector<std::string>& names) {
  const auto program = FindProgram("tar");
  if (!program) return Fail(program.error());
  std::vector<std::string> arguments = {
      *program,    "--create",          "--sort=name",          "--owner=0",
      "--group=0", "--file=" + archive, "--directory=" + folder};
  arguments.insert(arguments.end(), names.begin(), names.end());
  const auto made = RunProgram(arguments);
  return made ? Result<void>() : Fail(made.error());
}

Result<std::string> Digest(const std::string& file) {
  const auto program = FindProgram("sha256sum");
  if (!program) return Fail(program.error());
  const auto line = RunProgram({*program, file});
  if (!line) return Fail(line.error());
  return line->substr(0, line->find(' '));
}

// An archive as `docker save` writes it, of `folder`/root as the only layer. `command`: a JSON
// list.
Result<void> Pack(const std::string& folder, const std::string& archive, std::string_view name,
                  std::string_view command) {
  const std::string layer = folder + "/layer.tar";
  if (auto made = Tar(layer, folder + "/root", {"."}); !made) return made;
  const auto digest = Digest(layer);
  if (!digest) return Fail(digest.error());
  const std::string config = fmt::format(
      R"({{"architecture":"amd64","os":"linux","config":{{"Entrypoint":{},"WorkingDir":"/"}},)"
      R"("rootfs":{{"type":"layers","diff_ids":["sha256:{}"]}}}})",
      command, *digest);
  const std::string manifest =
      fmt::format(R"([{{"Config":"config.json","RepoTags":["{}"],"Layers":["layer.tar"]}}])", name);
  if (auto written = Write(folder + "/config.json", config); !written) return written;
  if (auto written = Write(folder + "/manifest.json", manifest); !written) return written;
  return Tar(archive, folder, {"manifest.json", "config.json", "layer.tar"});
}

Result<void> Populate(const std::string& root, std::string_view program) {
  std::error_code error;
  for (const char* made : {"/usr", "/tmp", "/etc", "/proc"}) {
    if (!error) fs::create_directories(root + made, error);
  }
  if (!program.empty()) {
    if (!error) fs::copy_file(program, root + "/pause", error);
  } else {
    for (const char* name : {"bin", "sbin", "lib", "lib64"}) {
      if (!error) fs::create_symlink(fmt::format("usr/{}", name), fs::path(root) / name, error);
    }
  }
  if (error) return Fail(ErrorCode::kInternal, "make an image in " + root + ": " + error.message());
  return {};
}

}  // namespace

Result<void> MakeHostImage(const std::string& folder, const std::string& archive) {
  if (auto made = Populate(folder + "/root", ""); !made) return made;
  return Pack(folder, archive, kDemoHostImage, R"(["/bin/true"])");
}

Result<void> MakePauseImage(const std::string& folder, const std::string& archive,
                            const std::string& program, const std::string& argument) {
  if (auto made = Populate(folder + "/root", program); !made) return made;
  return Pack(folder, archive, kDemoPauseImage, fmt::format(R"(["/pause","{}"])", argument));
}

}  // namespace jettison
