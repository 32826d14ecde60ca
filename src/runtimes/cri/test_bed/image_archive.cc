#include "runtimes/cri/test_bed/image_archive.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "kernel/files/files.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison::cri {
namespace {

constexpr std::size_t kBlock = 512;

enum class EntryType : char { kFile = '0', kFolder = '5' };

// One entry of a tar archive (POSIX.1-1988 ustar), owned by root, of the epoch.
void Append(std::string& tar, const std::string& name, EntryType type,
            const std::string& content = {}) {
  std::array<char, kBlock> header{};
  const auto put = [&](std::size_t at, const std::string& text) {
    std::copy(text.begin(), text.end(), header.begin() + static_cast<std::ptrdiff_t>(at));
  };
  put(0, name);
  put(100, type == EntryType::kFolder ? "0001777" : "0000755");
  put(108, "0000000");  // owner
  put(116, "0000000");  // group
  put(124, fmt::format("{:011o}", content.size()));
  put(136, "00000000000");  // modified
  put(148, "        ");     // the checksum's own place counts as blanks
  header[156] = static_cast<char>(type);
  put(257, "ustar");
  put(263, "00");
  unsigned sum = 0;
  for (const char byte : header) sum += static_cast<unsigned char>(byte);
  put(148, fmt::format("{:06o}", sum));
  header[154] = '\0';
  tar.append(header.data(), header.size());
  tar += content;
  tar.append((kBlock - content.size() % kBlock) % kBlock, '\0');
}

void Close(std::string& tar) {
  tar.append(2 * kBlock, '\0');
}

// The SHA-256 of some bytes in hexadecimal, by sha256sum (coreutils).
Result<std::string> DigestOf(const std::string& bytes) {
  std::string path = "/tmp/jettison-digest-XXXXXX";
  const FileDescriptor file(::mkstemp(path.data()));
  if (!file) return FailErrno("make a temporary file");
  const Result<void> written = pod_host::WriteFile(path, bytes);
  std::array<char, 65> digest{};
  std::size_t read = 0;
  if (written) {
    std::FILE* const output = ::popen(("sha256sum " + path).c_str(), "re");
    if (output != nullptr) {
      read = std::fread(digest.data(), 1, digest.size() - 1, output);
      ::pclose(output);
    }
  }
  ::unlink(path.c_str());
  if (read != digest.size() - 1) return Fail(ErrorCode::kInternal, "sha256sum did not answer");
  return std::string(digest.data());
}

std::string LayerOf(const TestImage& image, const std::string& program) {
  std::string layer;
  Append(layer, "tmp/", EntryType::kFolder);
  Append(layer, "etc/", EntryType::kFolder);
  Append(layer, "test-program", EntryType::kFile, program);
  if (image.padding_bytes > 0) {
    Append(layer, "padding", EntryType::kFile, std::string(image.padding_bytes, 'p'));
  }
  Close(layer);
  return layer;
}

}  // namespace

Result<std::string> ImageArchive(const std::vector<TestImage>& images, const std::string& program) {
  const auto bytes = pod_host::ReadFile(program);
  if (!bytes) return Fail(bytes.error());
  std::string archive;
  nlohmann::json manifest = nlohmann::json::array();
  for (const TestImage& image : images) {
    const std::string layer = LayerOf(image, *bytes);
    const auto digest = DigestOf(layer);
    if (!digest) return Fail(digest.error());
    // Without its reference two images with the same content would be one.
    const nlohmann::json config = {
        {"architecture", "amd64"},
        {"os", "linux"},
        {"config",
         {{"Entrypoint", {"/test-program"}},
          {"Cmd", image.arguments},
          {"WorkingDir", "/"},
          {"Labels", {{"jettison.io/reference", image.reference}}}}},
        {"rootfs", {{"type", "layers"}, {"diff_ids", {"sha256:" + *digest}}}}};
    const std::string number = std::to_string(manifest.size());
    const std::string config_name = number + ".json";
    const std::string layer_name = number + ".tar";
    Append(archive, config_name, EntryType::kFile, config.dump());
    Append(archive, layer_name, EntryType::kFile, layer);
    manifest.push_back(
        {{"Config", config_name}, {"RepoTags", {image.reference}}, {"Layers", {layer_name}}});
  }
  Append(archive, "manifest.json", EntryType::kFile, manifest.dump());
  Close(archive);
  return archive;
}

}  // namespace jettison::cri
